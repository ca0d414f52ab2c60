import { describe, expect, it } from "vitest";
import { ACCOUNT_SCOPES, openData, refusal } from "./harness.ts";

const sandbox = await openData();
const { advance, get, post, read } = sandbox;

const DRAFT = {
  filter_name: "Test",
  realm: "pc",
  filter: "Show\n    Rarity Unique\n    SetFontSize 45\n",
};

const create = async (changes: object = {}, query = "") =>
  post(`/item-filter${query}`, { ...DRAFT, ...changes });
/** The filter that is created, read or changed. */
const created = async (changes: object = {}, query = "") =>
  (await create(changes, query)).body.filter;
const filterOf = async (id: string) => (await read(`/item-filter/${id}`)).filter;
const updated = async (id: string, changes: object, query = "") =>
  (await post(`/item-filter/${id}${query}`, changes)).body.filter;

describe("reading item filters", () => {
  it("the list of item filters has the account's filters, without text and validation [DA-10] [RC-013]", async () => {
    await create();
    const { filters } = await read("/item-filter");
    expect(filters.length).toBeGreaterThan(2);
    for (const filter of filters) {
      expect(filter).not.toHaveProperty("filter");
      expect(filter).not.toHaveProperty("validation");
      expect(filter.id).toEqual(expect.any(String));
    }
  });

  it("an item filter is returned with its text [DA-11]", async () => {
    const { filters } = await read("/item-filter");
    const { body } = await get(`/item-filter/${filters[0].id}`);
    expect(Object.keys(body)).toEqual(["filter"]);
    expect(body.filter).toMatchObject(filters[0]);
    expect(body.filter.filter).toContain("Show");
    expect(body.filter.validation).toMatchObject({ valid: true });
  });

  it("an unknown item filter, or another account's, is 404 [NS-09]", async () => {
    const { id } = await created();
    const other = await sandbox.token(ACCOUNT_SCOPES, 1);
    for (const answer of [
      await get("/item-filter/none"),
      await get(`/item-filter/${id}`, other),
      await post("/item-filter/none", {}),
    ])
      expect(refusal(answer)).toEqual([404, 1]);
  });
});

describe("creating an item filter", () => {
  it("creating an item filter returns and stores it [DA-12] [DA-20]", async () => {
    const { body, status } = await create();
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(["filter"]);
    expect(body.filter).toMatchObject(DRAFT);
    expect(await filterOf(body.filter.id)).toEqual(body.filter);
  });

  it.each(["filter_name", "realm", "filter"])(
    "creating an item filter requires %s [DA-16] [NS-08]",
    async (name) => {
      const { [name as "realm"]: _, ...rest } = DRAFT;
      expect(refusal(await post("/item-filter", rest))).toEqual([400, 2]);
    },
  );

  it("a new item filter may have one of the four realms, and no other [DA-17]", async () => {
    for (const realm of ["pc", "console_a", "console_b", "game2"])
      expect((await created({ realm })).realm).toBe(realm);
    expect((await create({ realm: "elsewhere" })).status).toBe(400);
  });

  it("a new item filter gets a default description, version and type [DA-18]", async () => {
    const full = { description: "Shows things.", version: "3.80.0", type: "Ruthless" };
    expect(await created(full)).toMatchObject(full);
    const filled = { description: "", version: "3.90.0", type: "Normal" };
    expect(await created()).toMatchObject(filled);
    expect((await create({ description: null, version: null, type: null })).status).toBe(200);
    expect((await create({ type: "Other" })).status).toBe(400);
  });

  it("a new item filter is private by default, and only public ones have `public` [DA-19] [RC-012]", async () => {
    expect(await created()).not.toHaveProperty("public");
    expect(await created({ public: false })).not.toHaveProperty("public");
    expect((await created({ public: true })).public).toBe(true);
    const { filters } = await read("/item-filter");
    expect(new Set(filters.map((one: any) => one.public))).toEqual(new Set([true, undefined]));
  });

  it("item filters are created and updated only with Content-Type: application/json [DA-14]", async () => {
    const { id } = await created();
    for (const path of ["/item-filter", `/item-filter/${id}`]) {
      const json = "application/json";
      for (const headers of [
        { "content-type": "text/plain" },
        { "content-type": "application/x-www-form-urlencoded" },
        { "content-type": `${json}; charset=utf-16` },
        { "content-type": json, "content-encoding": "gzip" },
      ])
        expect(refusal(await post(path, JSON.stringify(DRAFT), headers))).toEqual([415, 5]);
      const bytes = new TextEncoder().encode(JSON.stringify(DRAFT));
      const without = await sandbox.request(path, sandbox.user, { method: "POST", body: bytes });
      expect(without.status).toBe(415);
      const withCharset = { "content-type": "application/json; charset=utf-8" };
      expect((await post(path, DRAFT, withCharset)).status).toBe(200);
    }
  });

  it("creating an item filter is refused if the body is not a JSON object [NS-08]", async () => {
    for (const text of ["{", "", "[]", "null", '"text"'])
      expect(refusal(await post("/item-filter", text))).toEqual([400, 2]);
  });
});

describe("updating an item filter", () => {
  it("updating an item filter changes the supplied members, and keeps the others [DA-13] [DA-21]", async () => {
    const filter = await created({ description: "Before" });
    const { body, status } = await post(`/item-filter/${filter.id}`, { filter_name: "After" });
    expect(status).toBe(200);
    expect(body.error ?? null).toBeNull();
    expect(body.filter).toEqual({ ...filter, filter_name: "After" });
    expect(await filterOf(filter.id)).toEqual(body.filter);
    expect((await post(`/item-filter/${filter.id}`, {})).body.filter).toEqual(body.filter);
  });

  it("updating an item filter may change any single member [DA-21]", async () => {
    const text = { filter_name: "Other", description: "Other", filter: "Hide\n" };
    const words = { realm: "game2", version: "3.1.0", type: "Ruthless" };
    for (const [name, value] of Object.entries({ ...text, ...words })) {
      const filter = await created();
      const changed = await updated(filter.id, { [name]: value });
      expect(changed).toEqual({ ...filter, [name]: value });
    }
  });

  it("updating an item filter can make it public, but never private again [DA-22] [LC-13] [LC-14]", async () => {
    const { id } = await created();
    const change = (body: object) => post(`/item-filter/${id}`, body);
    expect((await change({ public: false })).status).toBe(400);
    expect((await change({ public: null })).status).toBe(400);
    expect((await change({ public: true })).body.filter.public).toBe(true);
    expect((await change({ public: false })).status).toBe(400);
    expect((await change({ filter_name: "Still" })).body.filter.public).toBe(true);
    expect((await filterOf(id)).public).toBe(true);
  });
});

describe("validation of an item filter", () => {
  it("validate=true validates a created or updated filter for its realm's game version [DA-15]", async () => {
    const filter = await created({}, "?validate=true");
    const judged = { valid: true, version: "3.90.0", validated: "2026-03-01T12:00:00Z" };
    expect(filter.validation).toEqual(judged);
    const second = await created({ realm: "game2" }, "?validate=true");
    expect(second.validation.version).toBe("0.9.0");
    const plain = await created();
    expect(plain).not.toHaveProperty("validation");
    expect((await updated(plain.id, {}, "?validate=true")).validation.valid).toBe(true);
    expect(await created({}, "?validate=false")).not.toHaveProperty("validation");
    expect((await create({}, "?validate=perhaps")).status).toBe(400);
  });

  it("validate=true refuses a filter with mistakes, names their lines, and saves nothing [DA-15] [DA-20]", async () => {
    const before = (await read("/item-filter")).filters.length;
    const filter = 'Show\n    BaseType "Scroll\n    colour 1 2 3\n    Prophecy Any\n';
    const { body, status } = await create({ filter }, "?validate=true");
    expect(status).toBe(422);
    expect(body.error.code).toBe(10);
    for (const line of [
      "line 2: a quotation mark is not closed",
      "line 3: colour is no statement",
      "line 4: Prophecy was removed in version 3.17.0",
    ])
      expect(body.error.message).toContain(line);
    expect((await read("/item-filter")).filters).toHaveLength(before);
    const { id } = await created();
    expect((await post(`/item-filter/${id}?validate=true`, { filter })).status).toBe(422);
    expect((await filterOf(id)).filter).toBe(DRAFT.filter);
  });

  it("an item filter loses its validation if the text changes without validate=true [DA-21]", async () => {
    const { id } = await created({}, "?validate=true");
    expect((await updated(id, { filter_name: "Renamed" })).validation.valid).toBe(true);
    expect(await updated(id, { filter: "Hide\n" })).not.toHaveProperty("validation");
  });

  const remarks = "# a remark\n".repeat(12_000);
  it("the validation of a long filter is deferred: 202 with an error and the filter [ER-03] [DA-13] [NS-02]", async () => {
    const { id } = await created();
    const long = `${DRAFT.filter}${remarks}`;
    const { body, status } = await post(`/item-filter/${id}?validate=true`, { filter: long });
    expect(status).toBe(202);
    expect(body.error).toEqual({ code: 0, message: expect.stringMatching(/^Accepted/u) });
    expect(body.filter).toMatchObject({ id, filter: long });
    expect(body.filter).not.toHaveProperty("validation");
    expect(await filterOf(id)).not.toHaveProperty("validation");
    // Another name meanwhile changes nothing about it.
    const renamed = await updated(id, { filter_name: "Another" });
    expect(renamed).not.toHaveProperty("validation");
    await advance("10 seconds");
    const validation = { valid: true, version: "3.90.0", validated: "2026-03-01T12:00:10Z" };
    expect(await filterOf(id)).toMatchObject({ filter_name: "Another", validation });
  });

  it("the validation of a filter is deferred above 100 000 characters, not at 100 000", async () => {
    const { id } = await created();
    for (const [length, status] of [
      [100_000, 200],
      [100_001, 202],
    ] as const) {
      const filter = `Show\n${"#".repeat(length - 5)}`;
      expect((await post(`/item-filter/${id}?validate=true`, { filter })).status).toBe(status);
    }
  });

  it("a deferred validation that finds mistakes sets `valid` to false [ER-03]", async () => {
    const { id } = await created();
    const filter = `Show\n    nonsense\n${remarks}`;
    expect((await post(`/item-filter/${id}?validate=true`, { filter })).status).toBe(202);
    await advance("10 seconds");
    expect((await filterOf(id)).validation.valid).toBe(false);
  });
});

describe("the filters of a sandbox", () => {
  it("a reset restores the seeded item filters", async () => {
    const other = await openData();
    const before = await other.read("/item-filter");
    await other.post("/item-filter", DRAFT);
    await other.ask("POST", "/reset");
    expect(await other.read("/item-filter", await other.token(ACCOUNT_SCOPES))).toEqual(before);
  });

  it("an item filter may have half a megabyte of text", async () => {
    const filter = `${DRAFT.filter}${"# a remark of some length, as authors write them\n".repeat(11_000)}`;
    const { body, status } = await create({ filter });
    expect(status).toBe(200);
    expect((await filterOf(body.filter.id)).filter).toBe(filter);
  });
});
