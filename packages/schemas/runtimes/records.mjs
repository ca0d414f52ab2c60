// Records in this runtime: a check, a refusal with its place, a page record by record, and the
// Effect Schema of the same record.
import assert from "node:assert/strict";
import { Guild } from "@game-data/schemas";
import { Guild as GuildSchema } from "@game-data/schemas/effect";
import { salvage } from "@game-data/schemas/salvage";
import * as Schema from "effect/Schema";

const guild = { id: 7, name: "Lamplighters", tag: "LAMP", motto: "On!" };
assert.equal(Guild.decode(guild), guild);
assert.equal(Schema.decodeUnknownSync(GuildSchema)(guild), guild);
const { ok, error } = Guild.safeDecode({ ...guild, name: 7 });
assert.deepEqual([ok, error.issues[0].pointer], [false, "/name"]);

const page = salvage({ next_change_id: "1-2", stashes: [{ id: "a", public: false }, { id: 7 }] });
const [good, bad] = [...page];
assert.equal(good.value.id, "a");
assert.equal([...bad.rejects][0].pointer, "/stashes/1");
