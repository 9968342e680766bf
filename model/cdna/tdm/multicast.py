# SPDX-License-Identifier: Apache-2.0
"""Multicast: one tensor load whose tile goes to several workgroups of a cluster.

The mask has a bit for each workgroup of the cluster. Every workgroup that it names is expected to issue the same load;
the data goes out when all have asked or when a time-out fires, and who asks later is served by a broadcast of its own.
With `early_timeout` the data goes out as soon as it is there, to whoever has asked by then.

Boundary: the lengths of the time-outs are not public; here they are inputs. Two writers of kernels report that at most
five requests are merged into one read, one of them that a wider mask merges none; the manual gives no such number:
both are parameters. A late request is served alone ("alone") or together with others that come while it waits ("together"); no source says which.
"""

from typing import NamedTuple

from .fields import FieldError

MASK_BITS = 16
LATE = ("together", "alone")


class Broadcast(NamedTuple):
    """One read of global memory and who receives it."""

    time: int  # when the data goes out
    receivers: tuple  # workgroup numbers in the cluster
    complete: bool  # every workgroup that was still expected is among them


class Problem(NamedTuple):
    """What is wrong with a mask for the launch that it is used in."""

    name: str
    severity: str  # "error" or "warning"
    message: str
    claim: str


def workgroup_number(x, y, cluster_x):
    """Return the bit of a workgroup: y times the cluster's extent in x, plus x.

    Claims: TDM-081
    """
    if not 0 <= x < cluster_x or y < 0:
        raise ValueError(f"workgroup ({x}, {y}) in a cluster {cluster_x} wide: x 0..{cluster_x - 1}, TDM-081")
    return y * cluster_x + x


def mask_of(sharers):
    """Return the mask of the workgroups that read one tile: zero when nobody shares it.

    Args: sharers: workgroup numbers in the cluster, 0 to 15.
    Raises: FieldError: a number without a bit.
    Claims: TDM-081, TDM-083
    """
    for number in sharers:
        if not 0 <= number < MASK_BITS:
            raise FieldError("workgroup_mask", number, "workgroups 0..15 of the cluster", "TDM-081")
    if len(set(sharers)) < 2:
        return 0
    mask = 0
    for number in sharers:
        mask |= 1 << number
    return mask


def members_of(mask):
    """Return the workgroup numbers that a mask names, lowest first.

    Claims: TDM-081
    """
    if not 0 <= mask < 1 << MASK_BITS:
        raise FieldError("workgroup_mask", mask, "0..65535", "TDM-081")
    return [number for number in range(MASK_BITS) if mask >> number & 1]


def receivers(mask, op, own):
    """Return the workgroups whose LDS (load) or whose own tile (store) takes part when one workgroup issues.

    Args: mask: the field; op: "load" or "store"; own: number of the issuing workgroup.
    Claims: TDM-081, TDM-082
    """
    if op not in ("load", "store"):
        raise ValueError(f"op={op!r}: load or store")
    members = members_of(mask)
    return members if op == "load" and members else [own]


def check_launch(mask, cluster, grid=None, own=None):
    """Return what is wrong with using a mask in a launch, as a list of Problem.

    Args: mask: the field; cluster: workgroups of a cluster by dimension, (1, 1, 1) without one; grid: workgroups of the
      launch by dimension, None when not known; own: number of the issuing workgroup, None when not known.
    Claims: TDM-081, TDM-083, TDM-088
    """
    size = 1
    for extent in cluster:
        size *= extent
    members = members_of(mask)
    found = []
    if size > MASK_BITS:
        found.append(
            Problem("cluster-size", "error", f"cluster of {size} workgroups: at most 16 have a bit", "TDM-081")
        )
    if members and size == 1:
        text = f"workgroup_mask={mask}: must be 0 when the wave is in no cluster; a launch may hang or write elsewhere"
        found.append(Problem("mask-without-cluster", "error", text, "TDM-083"))
    elif members and members[-1] >= size:
        text = f"workgroup_mask={mask}: names workgroup {members[-1]}, the cluster has {size}"
        found.append(Problem("mask-beyond-cluster", "error", text, "TDM-083"))
    if len(members) == 1 and size > 1:
        text = f"workgroup_mask={mask}: names one workgroup only; write 0 when nobody shares the tile"
        found.append(Problem("mask-of-one", "warning", text, "TDM-083"))
    if own is not None and members and own not in members:
        text = f"workgroup_mask={mask}: does not name workgroup {own}, which issues the load"
        found.append(Problem("mask-without-own", "warning", text, "TDM-084"))
    if grid is not None:
        for i in range(min(len(grid), len(cluster))):  # a dimension that is not given is 1
            if grid[i] % cluster[i]:
                text = f"grid={grid[i]} in dimension {i}: a multiple of the cluster's {cluster[i]}"
                found.append(Problem("grid-not-divisible", "error", text, "TDM-088"))
    return found


def rendezvous(mask, asked, time_out, read_time=0, early_timeout=False, late="together", merge_most=None):
    """Return the broadcasts that a shared load takes, first to last.

    Args: mask: the field; asked: (workgroup number, time) of every request; time_out: how long the first request waits
      for the others; read_time: time from the first request to its data; early_timeout: the field; late: how requests
      after a broadcast are served, one of LATE; merge_most: most requests that one read serves, None for no limit.
    Returns: a list of Broadcast: its length is the number of reads.
    Raises: ValueError: a workgroup that the mask does not name, or asks twice, or an unknown `late`.
    Claims: TDM-084, TDM-087
    """
    if late not in LATE:
        raise ValueError(f"late={late!r}: {' or '.join(LATE)}")
    members = members_of(mask)
    numbers = [number for number, time in asked]
    for number in numbers:
        if number not in members or numbers.count(number) > 1:
            raise ValueError(f"workgroup {number}: one request of each of {members}, TDM-084")
    waiting = sorted([(time, number) for number, time in asked])
    found = []
    while waiting:
        first = waiting[0][0]
        alone = late == "alone" and found
        # Without the early form the data goes out when all have asked or at the time-out, and not before it was read.
        patience = read_time if early_timeout else max(time_out, read_time)
        group = [item for item in waiting if item[0] <= first + patience][: 1 if alone else len(waiting)]
        if merge_most is not None:
            group = group[:merge_most]
        complete = len(group) == len(members) - len(_served(found))
        if alone or (complete and not early_timeout) or len(group) == merge_most:
            out = max(group[-1][0], first + read_time)
        else:
            out = first + patience
        found.append(Broadcast(out, tuple(sorted([number for time, number in group])), complete))
        waiting = [item for item in waiting if item not in group]
    return found


def _served(found):
    return [number for broadcast in found for number in broadcast.receivers]


def reads(workgroups, multicast, merge_most=None, wider="split"):
    """Return how often global memory is read for one tile that some workgroups need, when all ask in time.

    Args: workgroups: 1 to 16; multicast: whether they share the load; merge_most: most requests that one read serves;
      wider: what a mask of more than those does, "split" (several reads) or "none" (each workgroup reads for itself).
    Claims: TDM-087
    """
    if not 1 <= workgroups <= MASK_BITS:
        raise ValueError(f"workgroups={workgroups!r}: 1..16, TDM-081")
    if wider not in ("split", "none"):
        raise ValueError(f"wider={wider!r}: split or none, TDM-087")
    if not multicast or workgroups == 1 or (wider == "none" and merge_most is not None and workgroups > merge_most):
        return workgroups
    mask = mask_of(list(range(workgroups)))
    return len(rendezvous(mask, [(number, 0) for number in range(workgroups)], 0, merge_most=merge_most))
