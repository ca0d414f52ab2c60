/** A record passes through hono's standard validator as it is, without an adapter. */
import { sValidator } from "@hono/standard-validator";
import { Hono } from "hono";
import { expect, it } from "vitest";
import { recordKinds } from "../src/Check.ts";
import * as Effects from "../src/effect/index.ts";
import { Item } from "../src/index.ts";
import { fixtures } from "./fixtures.ts";

it("all records have the Standard Schema of their Effect Schema", () => {
  for (const [name, plain] of recordKinds)
    expect(Effects).toHaveProperty([name, "~standard"], plain["~standard"]);
});

it("the validator of hono returns an item with its unknown members, or names the path of a wrong one", async () => {
  const app = new Hono().post("/", sValidator("json", Item), (c) => c.json(c.req.valid("json")));
  const post = async (body: unknown) => {
    const headers = { "content-type": "application/json" };
    const init = { method: "POST", headers, body: JSON.stringify(body) };
    const response = await app.request("/", init);
    return [response.status, await response.json()] as const;
  };
  const value = { ...(fixtures["Item"] as object), later: true };
  expect(await post(value)).toEqual([200, value]);
  const [status, body] = await post({ ...value, w: "2" });
  expect(status).toBe(400);
  expect(body).toMatchObject({ error: [{ path: ["w"] }] });
});
