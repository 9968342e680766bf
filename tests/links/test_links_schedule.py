# SPDX-License-Identifier: Apache-2.0
"""Queues: order, totals, failures."""

import threading
import time

import pytest

from cdna_evidence.links import schedule
from cdna_evidence.links.client import Limits

LIMITS = Limits(delay=0.0, per_host=1, total=3)


def test_results_keep_the_order_of_the_jobs():
    def step(job):
        time.sleep(0.002 * (9 - job))
        return schedule.Done(job * job)

    jobs = [(f"host{n % 3}", n) for n in range(10)]

    assert schedule.run(jobs, step, None, LIMITS) == [n * n for n in range(10)]
    assert schedule.run([], step, None, LIMITS) == []


@pytest.mark.parametrize(("per_host", "hosts", "most"), [(1, 1, 1), (2, 1, 2), (1, 10, 3), (5, 1, 3)])
def test_never_more_at_once_than_allowed(per_host, hosts, most):
    now, highest, lock, reached = [0], [0], threading.Lock(), threading.Event()

    def step(job):
        with lock:
            now[0] += 1
            highest[0] = max(highest[0], now[0])
            if now[0] == most:
                reached.set()
        reached.wait(60)  # as many as are allowed come, however slowly; then some time in which no more may
        time.sleep(0.02)
        with lock:
            now[0] -= 1
        return schedule.Done(job)

    schedule.run([(f"host{n % hosts}", n) for n in range(20)], step, None, LIMITS._replace(per_host=per_host))

    assert highest[0] == most


def test_job_that_moves_joins_the_queue_of_the_other_host():
    seen = []

    def step(job):
        seen.append(job[0])
        if job[0] == "a":
            job[0] = "b"
            return schedule.Again("b")
        return schedule.Done("end")

    assert schedule.run([("a", ["a"]), ("a", ["a"])], step, None, LIMITS) == ["end", "end"]
    assert seen.count("a") == seen.count("b") == 2


def test_shut_host_ends_its_queue_and_late_comers():
    def step(job):
        if job == "mover":
            time.sleep(0.05)
            return schedule.Again("shut")
        return schedule.Done("asked", shut="why" if job == "first" else "")

    jobs = [("shut", "first"), ("shut", "second"), ("open", "mover"), ("open", "other")]
    found = schedule.run(jobs, step, lambda job, why: f"{job}: {why}", LIMITS)

    assert found == ["asked", "second: why", "mover: why", "asked"]


def test_failure_of_a_step_is_raised_where_the_run_was_asked_for():
    def step(job):
        raise ZeroDivisionError(job)

    with pytest.raises(ZeroDivisionError):
        schedule.run([("a", 1), ("b", 2)], step, None, LIMITS)
