import { describe, expect, it } from "@effect/vitest";
import { brotliCompressSync, gunzipSync, gzipSync } from "node:zlib";
import {
  cutGzip,
  malformed,
  type DecodedResponse,
  unpacked,
  withChangeId,
  withDuplicates,
} from "../../src/faults/BodyFaults.ts";

const PAGE = { next_change_id: "1-2-3-4-5", stashes: [{ id: "a" }, { id: "b" }] };

const answer = (body: unknown, coding?: "gzip" | "br"): DecodedResponse => {
  const text = Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  const packed =
    coding === "gzip" ? gzipSync(text) : coding === "br" ? brotliCompressSync(text) : text;
  return {
    status: 200,
    headers: {
      "content-type": "application/json",
      "content-length": String(packed.length),
      ...(coding === undefined ? {} : { "content-encoding": coding }),
    },
    body: new Uint8Array(packed),
  };
};

const text = ({ body }: DecodedResponse) => Buffer.from(body).toString("utf8");
const page = (spoiled: DecodedResponse) => JSON.parse(text(spoiled)) as typeof PAGE;

describe("faults of bodies", () => {
  it("unpack what was packed, whatever the coding", () => {
    for (const coding of ["gzip", "br", undefined] as const) {
      const plain = unpacked(answer(PAGE, coding));
      expect(page(plain)).toEqual(PAGE);
      expect(plain.headers).toEqual({ "content-type": "application/json" });
    }
  });

  it("corrupt a document at its end and leave its head readable", () => {
    const spoiled = text(malformed(answer(PAGE, "gzip"), { kind: "malformedJson" }));
    expect(() => JSON.parse(spoiled) as unknown).toThrow(SyntaxError);
    expect(spoiled.startsWith('{"next_change_id":"1-2-3-4-5"')).toBe(true);
  });

  it("corrupt a document at its begin", () => {
    const spoiled = text(malformed(answer(PAGE), { kind: "malformedJson", at: "head" }));
    expect(() => JSON.parse(spoiled) as unknown).toThrow(SyntaxError);
    expect(spoiled.startsWith("{")).toBe(false);
    expect(text(malformed(answer(""), { kind: "malformedJson" }))).not.toBe("");
  });

  it("cut a gzip stream, however much is left of it", () => {
    for (const fraction of [0, 0.5, 1]) {
      const cut = cutGzip(answer(PAGE), { kind: "gzipCut", fraction });
      expect(cut.headers["content-encoding"]).toBe("gzip");
      expect(() => gunzipSync(cut.body)).toThrow("unexpected end of file");
    }
  });

  it("leave alone what another fault has cut already", () => {
    const cut = cutGzip(answer(PAGE), { kind: "gzipCut" });
    const fault = { kind: "changeId", mode: "set", id: "1" } as const;
    expect(withChangeId(cut, fault, { requested: undefined, earlier: [] })).toEqual(cut);
  });

  it("answer data with the id that was asked for", () => {
    const same = withChangeId(
      answer(PAGE),
      { kind: "changeId", mode: "same" },
      { requested: "9-9", earlier: ["1-1"] },
    );
    expect(page(same)).toEqual({ ...PAGE, next_change_id: "9-9" });
  });

  it("answer with the id that was asked for before, if there was another one", () => {
    const backwards = { kind: "changeId", mode: "backwards" } as const;
    const context = { requested: "3", earlier: ["1", "2", "3"] };
    expect(page(withChangeId(answer(PAGE), backwards, context)).next_change_id).toBe("2");
    const first = { requested: "3", earlier: [] };
    expect(page(withChangeId(answer(PAGE), backwards, first))).toEqual(PAGE);
  });

  it("set any id, as a number where the stream's ids are numbers", () => {
    const set = { kind: "changeId", mode: "set", id: "7200" } as const;
    const context = { requested: undefined, earlier: [] };
    expect(page(withChangeId(answer(PAGE), set, context)).next_change_id).toBe("7200");
    const hour = answer({ next_change_id: 3600, markets: [] });
    expect(page(withChangeId(hour, set, context)).next_change_id).toBe(7200);
  });

  it("list every change twice", () => {
    const [a, b] = PAGE.stashes;
    expect(page(withDuplicates(answer(PAGE, "br"))).stashes).toEqual([a, a, b, b]);
  });

  it("leave what is no page as it is", () => {
    for (const body of ["<html>", "[]", "null", '{"error":{}}'])
      expect(text(withDuplicates(answer(body)))).toBe(body);
  });
});
