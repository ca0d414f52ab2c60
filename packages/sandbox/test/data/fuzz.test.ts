import { describe, expect, it } from "vitest";
import { prng } from "../../src/world/Prng.ts";
import { wordsOf } from "../../src/internal/words.ts";
import { openData } from "./harness.ts";

const world = { ladderSize: 500, streamPageSize: 5, streamHistoryPages: 2 };
const sandbox = await openData({ world });

const STEMS = wordsOf(`
  profile item-filter league pvp-match account/leagues character stash league-account guild
  guild/stash public-stash-tabs currency-exchange
`);
const SEGMENTS = [
  "a".repeat(900),
  "a".repeat(1100),
  ...wordsOf(`
  Standard pc console_a console_b game2 ladder event-ladder stash leagues 0123456789 % %2F %00
  %E0%A4%A .. . %2e%2e constructor __proto__ toString 0 -1 1772366400
  99999999999999999999 %F0%9F%90%9D ~ a;b a=b null
`),
];
const QUERIES = wordsOf(`
  realm=pc realm=game2 realm= realm type=season season=__proto__ type=event limit=5 limit=1e1
  limit=NaN limit=Infinity limit=0x5 limit=5.5 offset=9007199254740993 offset=1e400 offset=-0
  sort=class class=witch sort=time id=0-0-0-0-0 id=%00 validate=true validate=1 %=% a[]=b
  realm=pc&realm=pc league=Standard type=league
`);
const BODIES = [
  "",
  "{",
  "null",
  "[]",
  "{}",
  '{"filter":1}',
  '{"filter_name":"x","realm":"pc","filter":""}',
  '{"__proto__":{"filter":"x"}}',
  '{"filter_name":"x","realm":"pc","filter":"Show","public":"yes"}',
  `{"filter_name":"${"x".repeat(10_000)}","realm":"game2","filter":"Show"}`,
  "\u0000",
  '{"filter_name":"x","realm":"pc","filter":"\\ud800"}',
];
const STATUSES = new Set([200, 202, 204, 400, 401, 403, 404, 405, 415, 422]);

/** The one shape of errors: an object with code and message, and nothing beside it. */
const isError = (body: any): boolean =>
  Object.keys(body).join() === "error" &&
  Object.keys(body.error).join() === "code,message" &&
  typeof body.error.code === "number" &&
  typeof body.error.message === "string";

describe("whatever is asked of the data API", () => {
  it("random data API requests get JSON and an expected status, never 500 or an OAuth error [ER-11] [NS-07]", async () => {
    const draw = prng("fuzz");
    const odd: Array<string> = [];
    for (let round = 0; round < 1500; round++) {
      const path = `/${[draw.pick(STEMS), ...draw.sample(SEGMENTS, draw.int(0, 3))].join("/")}`;
      const query = draw.sample(QUERIES, draw.int(0, 2)).join("&");
      const method = draw.pick(["GET", "GET", "GET", "GET", "POST", "HEAD", "DELETE"]);
      const url = query === "" ? path : `${path}?${query}`;
      const headers = { "content-type": draw.pick(["application/json", "text/plain"]) };
      const sent = method === "POST" ? { method, headers, body: draw.pick(BODIES) } : { method };
      const token = draw.pick([sandbox.user, sandbox.service]);
      const { body, status, text } = await sandbox.request(url, token, sent);
      const isFine =
        STATUSES.has(status) &&
        (method === "HEAD" || status === 204 || typeof body === "object") &&
        (status < 400 || method === "HEAD" || isError(body));
      if (!isFine) odd.push(`${method} ${url.slice(0, 120)} ${status} ${text.slice(0, 80)}`);
    }
    expect(odd).toEqual([]);
  });
});
