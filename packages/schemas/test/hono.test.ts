/** Each record passes through hono's standard validator as it is, without an adapter. */
import { sValidator } from "@hono/standard-validator";
import { Hono } from "hono";
import { expect, it } from "vitest";
import { recordsDocument } from "../src/JsonSchema.ts";
import * as Effects from "../src/effect/index.ts";
import * as Plain from "../src/index.ts";
import type { PlainRecord } from "../src/index.ts";
import { fixtures } from "./fixtures.ts";

const records = Object.entries(Plain).filter(
  ([, value]) => typeof value === "object" && value !== null && "~standard" in value,
) as Array<[string, PlainRecord<object>]>;

it("all records have a Standard Schema, plain and as an Effect Schema", () => {
  expect(records.map(([name]) => name).toSorted()).toEqual(Object.keys(recordsDocument().$defs));
  for (const [name, plain] of records)
    expect(Effects).toHaveProperty([name, "~standard"], plain["~standard"]);
});

it.for(records)("hono accepts %s with its unknown members, or names the path", async (one) => {
  const [name, record] = one;
  const app = new Hono().post("/", sValidator("json", record), (c) => c.json(c.req.valid("json")));
  const post = async (body: unknown) => {
    const headers = { "content-type": "application/json" };
    const init = { method: "POST", headers, body: JSON.stringify(body) };
    const response = await app.request("/", init);
    return [response.status, await response.json()] as const;
  };
  if (Object.hasOwn(fixtures, name)) {
    const value = { ...(fixtures[name] as object), later: true };
    expect(await post(value)).toEqual([200, value]);
  }
  const [status, body] = await post([]);
  expect(status).toBe(400);
  expect(body).toMatchObject({ error: [{ path: [] }] });
});
