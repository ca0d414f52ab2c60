/** Sends malformed requests over raw sockets, the same requests in every run. */
import { connect } from "node:net";

/** The end of a request: the server answered, closed the connection, or did neither in time. */
export type End = "answered" | "closed" | "silent";

const METHODS =
  "GET HEAD POST PUT DELETE OPTIONS PATCH TRACE CONNECT TRACK PROPFIND LOCK PURGE SEARCH get G".split(
    " ",
  );
const LIMIT_MILLIS = 8_000;
const AT_ONCE = 50;

/** Sends a text, and returns how the request ended. Disconnects after `leaveAfter` milliseconds. */
export const sendRaw = (port: number, text: string, leaveAfter?: number): Promise<End> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    const finish = (end: End) => {
      clearTimeout(limit);
      socket.destroy();
      resolve(end);
    };
    const limit = setTimeout(finish, LIMIT_MILLIS, "silent");
    socket.on("data", () => finish("answered"));
    socket.on("error", () => finish("closed"));
    socket.on("close", () => finish("closed"));
    socket.on("connect", () => {
      socket.write(text, "latin1");
      if (leaveAfter !== undefined) setTimeout(finish, leaveAfter, "closed");
    });
  });

/** The parts of which malformed requests are composed. */
export interface OddRequests {
  readonly port: number;
  readonly targets: ReadonlyArray<string>;
  /** `undefined` sends no `Cookie` header. */
  readonly cookies: ReadonlyArray<string | undefined>;
  /** Further header lines. A quarter of the requests have each of them. */
  readonly headers?: ReadonlyArray<string>;
  /** Request bodies, sent with a matching `Content-Length`. */
  readonly bodies?: ReadonlyArray<string>;
  readonly count: number;
  readonly seed: number;
}

/** Sends malformed requests, disconnects early from some, and counts how they ended. */
export const sendOddRequests = async (odd: OddRequests): Promise<Readonly<Record<End, number>>> => {
  const { bodies = [""], cookies, count, headers = [], port, targets } = odd;
  const random = seeded(odd.seed);
  const oneOf = <A>(list: ReadonlyArray<A>): A => list[random(list.length)]!;
  const makeText = () => {
    const cookie = oneOf(cookies);
    const body = oneOf(bodies);
    const lines = [
      `${oneOf(METHODS)} ${oneOf(targets)} HTTP/1.1`,
      `host: ${oneOf([`127.0.0.1:${port}`, `127.0.0.1:${port}`, `localhost:${port}`, "[", "a b"])}`,
      ...(cookie === undefined ? [] : [`cookie: ${cookie}`]),
      ...(body === "" ? [] : [`content-length: ${body.length}`]),
      ...headers.filter(() => random(4) === 0),
      "connection: close",
    ];
    return `${lines.join("\r\n")}\r\n\r\n${body}`;
  };
  const ends: Record<End, number> = { answered: 0, closed: 0, silent: 0 };
  for (let at = 0; at < count; at += AT_ONCE)
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        const text = makeText();
        ends[await sendRaw(port, text, random(8) === 0 ? random(5) : undefined)] += 1;
      }),
    );
  return ends;
};

/** Returns a generator of whole numbers below a bound, the same in every run. */
const seeded = (seed: number) => {
  let state = seed;
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
};
