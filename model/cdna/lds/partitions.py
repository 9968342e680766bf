# SPDX-License-Identifier: Apache-2.0
"""The LDS of gfx1250 lies in partitions, and two pairs of SIMDs reach them through two ports.

Two waves meet in a partition when they are of different pairs and ask for it in one cycle; then one of them waits. That
is no bank conflict: those arise inside one instruction of one wave.
"""

from cdna.lds.geometry import geometry

PARTITION_BYTES = 65536
PORT_BYTES = 256  # of one port in one cycle
SIMDS = 4


def partition_of(byte):
    """Return the partition of an LDS byte of gfx1250.

    Raises: ValueError: the byte is outside LDS.
    Claims: LDS-055
    """
    capacity = geometry("gfx1250").capacity.value
    if not 0 <= byte < capacity:
        raise ValueError(f"byte={byte}: 0..{capacity - 1}")
    return byte // PARTITION_BYTES


def pair_of(wave):
    """Return the pair of SIMDs, 0 or 1, on which a wave of a workgroup runs when waves are placed in turn.

    Claims: LDS-055
    """
    return wave % SIMDS % 2


def cycles(accesses):
    """Return in how many cycles requests are taken that waves make in one cycle, by the rule of partitions alone.

    A pair makes one request a cycle; two pairs are served together unless they ask for one partition.

    Args: accesses: (wave, LDS byte) of each request.
    Claims: LDS-055
    """
    queues = [[partition_of(byte) for wave, byte in accesses if pair_of(wave) == pair] for pair in (0, 1)]
    taken = 0
    while queues[0] or queues[1]:
        together = queues[0] and queues[1] and queues[0][0] != queues[1][0]
        for queue in queues if together else (queues[0] or queues[1],):
            queue.pop(0)
        taken += 1
    return taken
