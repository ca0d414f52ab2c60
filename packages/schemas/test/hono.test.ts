/** Each record passes through hono's standard validator as it is, without an adapter. */
import { sValidator } from "@hono/standard-validator";
import { Hono } from "hono";
import { describe, expect, it } from "vitest";
import { recordsDocument } from "../src/JsonSchema.ts";
import * as Effects from "../src/effect/index.ts";
import { Guild, Item } from "../src/index.ts";
import * as Plain from "../src/index.ts";
import type { PlainRecord } from "../src/index.ts";
import { fixtures } from "./fixtures.ts";

const post = (path: string, body: unknown) =>
  new Request(`http://localhost${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

describe("hono's standard validator", () => {
  it("hands a record on with its unknown members", async () => {
    const app = new Hono().post("/guild", sValidator("json", Guild), (c) =>
      c.json(c.req.valid("json")),
    );
    const guild = { id: 1, name: "Ember", tag: "E", later: true };
    const response = await app.request(post("/guild", guild));
    expect([response.status, await response.json()]).toEqual([200, guild]);
  });

  it("answers 400 with the path of the issue", async () => {
    const app = new Hono().post("/guild", sValidator("json", Guild), (c) =>
      c.json(c.req.valid("json")),
    );
    const response = await app.request(post("/guild", { id: true, name: "Ember", tag: "E" }));
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: [{ path: ["id"] }] });
  });

  it("takes every record, plain or as an Effect Schema", async () => {
    const records = Object.entries(Plain).filter(
      ([, value]) => typeof value === "object" && value !== null && "~standard" in value,
    ) as Array<[string, PlainRecord<object>]>;
    const names = records.map(([name]) => name);
    expect(names.toSorted()).toEqual(Object.keys(recordsDocument().$defs));
    for (const [name, plain] of records) {
      const schema = (Effects as unknown as Record<string, PlainRecord<object>>)[name]!;
      expect(schema["~standard"]).toBe(plain["~standard"]);
      const app = new Hono().post("/", sValidator("json", plain), (c) =>
        c.json(c.req.valid("json")),
      );
      const fixture = fixtures[name];
      if (fixture !== undefined) {
        const response = await app.request(post("/", fixture));
        expect([name, response.status, await response.json()]).toEqual([name, 200, fixture]);
      }
      expect([name, (await app.request(post("/", []))).status]).toEqual([name, 400]);
    }
  });

  it("keeps the type of the record", () => {
    const result = Item["~standard"].validate({});
    expect(result.issues?.length).toBeGreaterThan(0);
  });
});
