import { describe, expect, it } from "vitest";
import {
  DICTIONARY_MEMBERS,
  OPTIONAL_MEMBERS,
  withDuplicates,
  withMembers,
  withNullResult,
  withNulls,
} from "../../src/faults/BodyFaults.ts";

const PAGE = { next_change_id: "1-2-3-4-5", stashes: [{ id: "a" }, { id: "b" }] };
const body = JSON.stringify(PAGE);

describe("faults of bodies", () => {
  it("add members to every record, and replace words in named members", () => {
    const altered = withMembers(body, {
      kind: "members",
      add: { future: 1 },
      words: { id: "newWord" },
    });
    expect(JSON.parse(altered)).toEqual({
      next_change_id: "1-2-3-4-5",
      stashes: [
        { id: "newWord", future: 1 },
        { id: "newWord", future: 1 },
      ],
      future: 1,
    });
  });

  it("add no members to dictionaries, whose keys are data", () => {
    const text = JSON.stringify({
      mastery_effects: { "12": 3 },
      volume_traded: { a: 1 },
      groups: {},
      name: "x",
    });
    expect(JSON.parse(withMembers(text, { kind: "members", add: { f: 1 } }))).toEqual({
      ...(JSON.parse(text) as object),
      f: 1,
    });
  });

  it("make the result null, and leave errors alone", () => {
    expect(withNullResult('{"character":{"name":"x"}}')).toBe('{"character":null}');
    // A record without a result under one name, and a list, cannot be gone.
    for (const other of ['{"uuid":"u","name":"n"}', '{"leagues":[]}'])
      expect(withNullResult(other)).toBe(other);
    expect(withNullResult('{"error":{"code":1}}')).toBe('{"error":{"code":1}}');
  });

  it("leave what is no page as it is", () => {
    for (const other of ["<html>", "[]", "null", '{"error":{}}'])
      expect(withDuplicates(other)).toBe(other);
  });

  it("set optional members to null, and leave the result and required members", () => {
    const text = JSON.stringify({ stash: { id: "a", folder: true, metadata: { colour: "x" } } });
    expect(JSON.parse(withNulls(text, { kind: "nulls" }))).toEqual({
      stash: { id: "a", folder: null, metadata: { colour: null } },
    });
    expect(JSON.parse(withNulls(text, { kind: "nulls", members: ["id"] }))).toMatchObject({
      stash: { id: null, folder: true },
    });
    expect(withNulls('{"error":{"code":1}}', { kind: "nulls" })).toBe('{"error":{"code":1}}');
  });

  it("know the members that are optional in every record that has them", () => {
    expect(OPTIONAL_MEMBERS).toEqual(OPTIONAL_MEMBERS.toSorted());
    // Of an item, of a structure inside one, of a tuple's list, of a record in itself.
    for (const name of ["corrupted", "elder", "suffix", "socketedItems", "children"])
      expect(OPTIONAL_MEMBERS).toContain(name);
    // Required by another record, by all records, and no member at all.
    for (const name of ["league", "typeLine", "true", "set1"])
      expect(OPTIONAL_MEMBERS).not.toContain(name);
    for (const name of ["mastery_effects", "volume_traded", "map"])
      expect(DICTIONARY_MEMBERS).toContain(name);
    expect(DICTIONARY_MEMBERS).not.toContain("influences");
  });
});
