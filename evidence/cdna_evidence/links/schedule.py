# SPDX-License-Identifier: Apache-2.0
"""Many requests, a few at a time: a queue and a pause for each host, a total, and waiting that blocks no other host."""

import heapq
import threading
import time
from collections import deque
from typing import NamedTuple


class Done(NamedTuple):
    """A job is finished. shut: ask this host nothing more in this run."""

    result: object
    shut: str = ""


class Again(NamedTuple):
    """Ask later. site: the queue to join; wait: seconds from now, for the whole host, as Retry-After means it."""

    site: str
    wait: float = 0.0


def run(jobs, step, shut, limits, clock=time.monotonic):
    """Run every job to its end and return the results in the order given.

    Args: jobs: [(site, job)]; step: (job) -> Done or Again, one request at most; shut: (job, why) -> result for a job
      whose host was shut; limits: delay, per_host and total of it count; clock: seconds.
    """
    return _Run(jobs, step, shut, limits, clock).results()


class _Host:
    def __init__(self):
        self.queue = deque()
        self.busy = 0
        self.ready = 0.0
        self.waiting = False


class _Run:
    def __init__(self, jobs, step, shut, limits, clock):
        self.step, self.shut, self.limits, self.clock = step, shut, limits, clock
        self.found = [None] * len(jobs)
        self.left = len(jobs)
        self.hosts = {}
        self.shut_hosts = {}
        self.later = []  # heap of (when, order, host name): hosts with work that wait for their time
        self.order = 0
        self.change = threading.Condition()
        self.failure = None
        for index, (site, job) in enumerate(jobs):
            self._host(site).queue.append((index, job))
        with self.change:
            for site in self.hosts:
                self._wake(site)

    def results(self):
        threads = [
            threading.Thread(target=self._work, daemon=True) for _ in range(min(self.limits.total, max(1, self.left)))
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if self.failure:
            raise self.failure
        return self.found

    def _host(self, site):
        if site not in self.hosts:
            self.hosts[site] = _Host()
        return self.hosts[site]

    def _wake(self, site):
        host = self.hosts[site]
        if host.queue and not host.waiting and host.busy < self.limits.per_host:
            host.waiting = True
            self.order += 1
            heapq.heappush(self.later, (host.ready, self.order, site))
            self.change.notify()

    def _take(self):
        """Return (site, index, job), waiting for it, or None when all is done."""
        while True:
            if not self.left or self.failure:
                self.change.notify_all()
                return None
            now = self.clock()
            if self.later and self.later[0][0] <= now:
                site = heapq.heappop(self.later)[2]
                host = self.hosts[site]
                host.waiting = False
                if host.ready > now:
                    self._wake(site)
                    continue
                index, job = host.queue.popleft()
                host.busy += 1
                host.ready = now + self.limits.delay
                self._wake(site)
                return site, index, job
            self.change.wait(max(0.0005, self.later[0][0] - now) if self.later else None)

    def _work(self):
        while True:
            with self.change:
                taken = self._take()
            if taken is None:
                return
            site, index, job = taken
            try:
                said = self.step(job)
            except Exception as error:  # noqa: BLE001  raised again where `results` waits
                with self.change:
                    self.failure = error
                    self.change.notify_all()
                return
            with self.change:
                self._settle(site, index, job, said)

    def _settle(self, site, index, job, said):
        host = self.hosts[site]
        host.busy -= 1
        host.ready = max(host.ready, self.clock() + self.limits.delay) if self.limits.per_host == 1 else host.ready
        if isinstance(said, Done):
            self._finish(index, said.result)
            if said.shut:
                self.shut_hosts[site] = said.shut
                while host.queue:
                    waiting, other = host.queue.popleft()
                    self._finish(waiting, self.shut(other, said.shut))
        else:
            if said.site in self.shut_hosts:
                self._finish(index, self.shut(job, self.shut_hosts[said.site]))
            else:
                other = self._host(said.site)
                other.queue.appendleft((index, job)) if said.site == site else other.queue.append((index, job))
                if said.wait:
                    other.ready = max(other.ready, self.clock() + said.wait)
                self._wake(said.site)
        self._wake(site)
        self.change.notify()

    def _finish(self, index, result):
        self.found[index] = result
        self.left -= 1
        if not self.left:
            self.change.notify_all()
