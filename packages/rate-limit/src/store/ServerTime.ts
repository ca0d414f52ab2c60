/** The time of a server, as its replies tell it. */
import type { Clock } from "../Store.ts";
import type { SharedReply } from "./SharedServer.ts";

/** The difference between the server's time and the own clock. */
export class ServerTime {
  /** The wall clock, until the server has told its time. */
  offset: number;
  /** The most that the difference can be, as the last reply told. */
  latest: number;
  isTold = false;
  readonly #clock: Clock;

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
      const least = reply.now - this.#clock.now();
      const most = reply.now + 1 - sentAt;
      // The clock that is behind is safe; clocks drift, and are set.
      this.offset = this.isTold ? Math.min(Math.max(this.offset, least), most) : least;
      this.latest = most;
      this.isTold = true;
      return reply;
    };
}
