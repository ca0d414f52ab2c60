/** `gamedata watch` over a server that speaks a stash index's events. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { usePrompt } from "./support/gamedata.ts";

const prompt = usePrompt();
prompt.isHurried = true;

/** Answers of the index, one for each request. */
let answers: Array<(request: IncomingMessage, response: ServerResponse) => void>;
let requests: Array<IncomingMessage>;
const server = createServer((request, response) => {
  requests.push(request);
  const answer = answers.shift();
  if (answer === undefined) response.destroy();
  else answer(request, response);
});
let origin = "";

beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const answerWith = (...given: typeof answers) => {
  answers = given;
  requests = [];
};

const ring = {
  no: 7,
  name: "Quiet Anchor",
  base: "Slate Band",
  seller: "Someone#1234",
  price: { amount: 12, currency: "chaos" },
  ilvl: 72,
};
const alive = { kind: "alive", no: 0, item: null };
const listed = { kind: "listed", no: 7, item: ring };
const sold = { kind: "sold", no: 7, item: null };
/** A match that comes and goes. */
const STORY = [
  ["0-0", alive],
  ["7-0", listed],
  ["7-1", sold],
] as const;

/** Sends events; the connection stays open, or is cut. */
const events =
  (sent: ReadonlyArray<readonly [id: string, data: object]>, isCut = false) =>
  (_: IncomingMessage, response: ServerResponse) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const text = sent.map(([id, data]) => `id: ${id}\ndata: ${JSON.stringify(data)}\n\n`).join("");
    // In two pieces, which split an event.
    response.write(text.slice(0, 30));
    response.write(text.slice(30), () => isCut && response.destroy());
  };

/** Answers with a problem. */
const problem = (status: number, body: object) => (_: IncomingMessage, response: ServerResponse) =>
  void response
    .writeHead(status, { "content-type": "application/problem+json" })
    .end(JSON.stringify({ status, ...body }));

/** The values of NDJSON. */
const valuesOf = (stdout: string): ReadonlyArray<unknown> =>
  stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

/** Watches until stdout has so many lines, and presses Ctrl-C. */
const watch = async (lines: number, flags: ReadonlyArray<string> = [], columns?: number) => {
  const run = prompt.start(
    [
      "watch",
      `${origin}/?league=Standard&q=band&sort=age&view=search&mod=%2B%23+to+Vigour`,
      ...flags,
    ],
    columns === undefined ? {} : { columns },
  );
  await run.stdout(new RegExp(`^(?:.*\n){${lines}}`, "u"));
  run.interrupt();
  return run.ended;
};

it("prints a JSON value per event in a pipe, with all members, and ends with 130", async () => {
  answerWith(events(STORY));
  const { code, stderr, stdout } = await watch(2);
  expect({ code, stderr }).toEqual({ code: 130, stderr: "" });
  expect(valuesOf(stdout)).toEqual([listed, sold]);
  const { pathname, searchParams } = new URL(requests[0]!.url!, origin);
  expect(pathname).toBe("/api/watch");
  // The filters, without what the page alone uses.
  expect([...searchParams]).toEqual([
    ["league", "Standard"],
    ["q", "band"],
    ["mod", "+# to Vigour"],
  ]);
});

it("prints a line per event on a terminal, and names what is gone", async () => {
  const unknown = { kind: "unlisted", no: 99, item: null };
  for (const columns of [80, 40]) {
    answerWith(events([...STORY, ["7-2", unknown]]));
    const { stderr, stdout } = await watch(3, [], columns);
    expect(stderr).toContain(`Watching ${origin.slice(7)}`);
    const lines = stripVTControlCharacters(stdout).trimEnd().split("\n");
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(columns);
    expect(lines[0]).toMatch(
      columns === 80
        ? /^\d\d:\d\d:\d\d listed {3}12 chaos {2}Quiet Anchor Slate Band {2}Someone#1234$/u
        : /^\d\d:\d\d:\d\d listed {3}12 chaos {2}Quiet Ancho…$/u,
    );
    expect(lines[1]).toMatch(/^\S+ sold {5}12 chaos {2}Quiet Anch/u);
    expect(lines[2]).toMatch(/^\S+ unlisted #99$/u);
  }
});

it("runs jq over each event", async () => {
  answerWith(events(STORY));
  expect((await watch(1, ["--jq", 'select(.kind == "sold") | .no'])).stdout).toBe("7\n");
});

it("goes on behind the last event after a cut", async () => {
  answerWith(
    events(STORY.slice(0, 2), true),
    problem(503, { title: "Service Unavailable" }),
    events([["7-1", sold]]),
  );
  const { code, stderr, stdout } = await watch(2, ["--ndjson"]);
  expect(code).toBe(130);
  expect(valuesOf(stdout)).toEqual([listed, sold]);
  expect(requests.map(({ headers }) => headers["last-event-id"])).toEqual([
    undefined,
    "7-0",
    "7-0",
  ]);
  expect(stderr).toMatch(
    /cut\. Trying again in \d\.\d s\.\n.*HTTP 503\. Trying again in \d\.\d s\.\n$/u,
  );
});

it("names the parameter that the index refuses", async () => {
  answerWith(problem(400, { parameter: "leage", detail: "is not a parameter" }));
  expect(await prompt.error(["watch", `${origin}/?leage=Standard`])).toMatchObject({
    exit: 65,
    stdout: "",
    code: "request-invalid",
    parameter: "leage",
    message: "The index refuses leage: is not a parameter.",
  });
});

it.each([
  ["an address that is none", "q=band", 64, "usage"],
  ["an address with a password", "http://me:secret@127.0.0.1/", 64, "usage"],
  ["a server that is none", undefined, 69, "unreachable"],
])("ends at once for %s", async (_, address, exit, code) => {
  answerWith();
  expect(await prompt.error(["watch", address ?? `${origin}/`])).toMatchObject({
    exit,
    code,
    message: expect.not.stringContaining("secret"),
  });
});

it("ends for what is no stash index, and for events of another shape", async () => {
  answerWith(problem(404, {}));
  expect(await prompt.error(["watch", origin])).toMatchObject({ code: "answer-malformed" });
  answerWith((_, response) => void response.end("<html>"));
  expect(await prompt.error(["watch", origin])).toMatchObject({ code: "answer-malformed" });
  answerWith(events([["0-0", { kind: 5 }]]));
  expect(await prompt.error(["watch", origin])).toMatchObject({ code: "answer-malformed" });
  // Not tried again before it has begun.
  answerWith(problem(500, {}));
  expect(await prompt.error(["watch", origin])).toMatchObject({ code: "service-failed" });
  expect(requests).toHaveLength(1);
});
