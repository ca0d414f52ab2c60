/** The time of a server, as its replies tell it. */
import { NEVER } from "../core/basics.ts";
import type { Clock } from "../Store.ts";
import type { SharedReply } from "./SharedServer.ts";

/** Clocks drift apart by this share of the time at most. */
const MOST_DRIFT = 0.02;

/** The difference between the server's time and the own clock. */
export class ServerTime {
  /** The wall clock, until the server has told its time. */
  offset: number;
  /** The most that the difference can be, as the last reply told. */
  latest: number;
  isTold = false;
  readonly #clock: Clock;
  #toldAt = -NEVER;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.offset = this.latest = clock.wall() - clock.now();
  }

  /** The same command. Its time was told between its sending and its reply. */
  readonly timed =
    <A extends ReadonlyArray<unknown>>(call: (...args: A) => Promise<SharedReply>) =>
    async (...args: A): Promise<SharedReply> => {
      const sentAt = this.#clock.now();
      const reply = await call(...args);
      const at = this.#clock.now();
      const least = reply.now - at;
      const most = reply.now + 1 - sentAt;
      // The clock that is behind is safe. A clock that drifts forward must not come before others
      // for that, so what was learned ages; clocks are set, too.
      const aged = this.offset - (at - this.#toldAt) * MOST_DRIFT;
      this.offset = Math.min(Math.max(aged, least), most);
      this.latest = most;
      this.#toldAt = at;
      this.isTold = true;
      return reply;
    };
}
