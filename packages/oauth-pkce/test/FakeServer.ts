/** A scripted OAuth server on loopback: answers what a test says and keeps what it was sent. */
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { text } from "node:stream/consumers";
import { Effect, type Scope } from "effect";

interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
  readonly form: URLSearchParams;
  readonly socket: Socket;
}

export type Reply = (request: Received, response: ServerResponse, count: number) => void;

export interface FakeServer {
  readonly url: string;
  readonly received: Array<Received>;
  reply: Reply;
}

/** Answers JSON. */
export const json =
  (body: unknown, status = 200, headers: Record<string, string> = {}): Reply =>
  (_, response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify(body));
  };

/** Answers text as it stands. */
export const raw =
  (body: string | Uint8Array, status = 200, headers: Record<string, string> = {}): Reply =>
  (_, response) => {
    response.writeHead(status, headers);
    response.end(body);
  };

/** Gives the first request the first reply and so on; the last one serves all that follow. */
export const inTurn =
  (...replies: ReadonlyArray<Reply>): Reply =>
  (request, response, count) =>
    replies[Math.min(count, replies.length) - 1]?.(request, response, count);

/** A token response as §4.1 shows it, with changes. */
export const tokenBody = (changes: Record<string, unknown> = {}) => ({
  access_token: "AT-1",
  token_type: "bearer",
  expires_in: 36_000,
  scope: "account:profile",
  username: "Account",
  sub: "3f1f4c5e-0000-4000-8000-000000000001",
  refresh_token: "RT-1",
  ...changes,
});

/** A fresh rotating pair per request: AT-1/RT-1, AT-2/RT-2, … */
export const rotating = (changes: Record<string, unknown> = {}): Reply => {
  let count = 0;
  return (request, response) => {
    count += 1;
    const body = tokenBody({
      access_token: `AT-${count}`,
      refresh_token: `RT-${count}`,
      ...changes,
    });
    json(body)(request, response, count);
  };
};

/** Serves on loopback until it is closed. */
export const listen = async (listener: RequestListener) => {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  };
  return { url: `http://127.0.0.1:${port}`, port, close };
};

/** The server for a program of promises, which closes it. */
export const openFakeServer = async (reply: Reply = rotating()) => {
  const fake: FakeServer = { url: "", received: [], reply };
  const { close, url } = await listen(async (request, response) => {
    // Tests run in virtual time.
    response.sendDate = false;
    const body = await text(request);
    const received = {
      method: request.method ?? "",
      url: request.url ?? "",
      headers: request.headers,
      body,
      form: new URLSearchParams(body),
      socket: request.socket,
    };
    fake.received.push(received);
    fake.reply(received, response, fake.received.length);
  });
  return Object.assign(fake, { url, close });
};

export const fakeServer = (reply?: Reply): Effect.Effect<FakeServer, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(() => openFakeServer(reply)),
    ({ close }) => Effect.promise(close),
  );
