/** The timers of calls: each at its time, however many share one of Node's. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { startTimer, toMillis } from "../src/pipeline/timer.ts";

/** Durations that no other test uses: those of one duration share a timer. */
let millis = 120_000;

const fake = () => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });

beforeEach(() => void (millis += 1000));
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe("timers", () => {
  it("fire each at its time, unless they are stopped", () => {
    fake();
    const own = (millis += 1000);
    let seed = 7;
    const draw = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
    const fired: Array<string> = [];
    const stops: Array<() => void> = [];
    let due: Array<{ readonly at: number; readonly id: number }> = [];
    for (let id = 0; id < 300; id += 1) {
      const time = own + draw(3);
      due.push({ at: performance.now() + time, id });
      stops.push(startTimer(time, () => fired.push(`${performance.now()} ${id}`)));
      if (draw(3) === 0) {
        const stopped = draw(id + 1);
        stops[stopped]!();
        due = due.filter((one) => one.id !== stopped || one.at <= performance.now());
      }
      vi.advanceTimersByTime(draw(20) === 0 ? 2 * own : draw(own / 10));
    }
    vi.advanceTimersByTime(2 * own);
    expect(fired.toSorted()).toEqual(due.map(({ at, id }) => `${at} ${id}`).toSorted());
    expect(vi.getTimerCount()).toBe(0);
  });

  it("may take longer than one of Node's", () => {
    fake();
    const fire = vi.fn<() => void>();
    startTimer(2 ** 31 + millis, fire);
    vi.advanceTimersByTime(2 ** 31 + millis - 1);
    expect(fire).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(fire).toHaveBeenCalledOnce();
  });

  it("of one duration go on after one that throws", () => {
    fake();
    const queue = vi.spyOn(globalThis, "queueMicrotask").mockReturnValue();
    const fire = vi.fn<() => void>();
    for (const each of [
      () => {
        throw new Error("x");
      },
      fire,
    ])
      startTimer(millis, each);
    vi.advanceTimersByTime(millis);
    expect(fire).toHaveBeenCalledOnce();
    expect(queue.mock.calls[0]![0]).toThrow("x");
  });

  it("keep the program running while there are calls, and no longer", () => {
    const handles = () =>
      process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    const before = handles();
    const own = 1e6 + (millis += 1000);
    const stop = startTimer(own, () => undefined);
    expect(handles()).toBe(before + 1);
    stop();
    expect(handles()).toBe(before);
    startTimer(own, () => undefined)();
    expect(handles()).toBe(before);
    const [again, other] = [1, 2].map(() => startTimer(own, () => undefined));
    again!();
    again!();
    expect(handles()).toBe(before + 1);
    other!();
    expect(handles()).toBe(before);
  });

  it("of many durations end with their calls", () => {
    const clear = vi.spyOn(globalThis, "clearTimeout");
    for (let index = 0; index < 1000; index++) startTimer(1e7 + index, () => undefined)();
    expect(clear.mock.calls.length).toBeGreaterThan(900);
  });
});

it("durations are read as Effect does, and numbers as milliseconds", () => {
  expect([toMillis(undefined), toMillis(undefined, 5), toMillis(7, 5)]).toEqual([0, 5, 7]);
  expect([toMillis("2 seconds", 5), toMillis("Infinity")]).toEqual([2000, Infinity]);
});
