// A record is a type, a check and a parser at once, without a library at run time.
import { Guild, unknownMember } from "@game-data/schemas";

const answer: unknown = JSON.parse(
  '{"id": 7, "name": "Lamplighters", "tag": "LAMP", "motto": "On!"}',
);

const result = Guild.safeDecode(answer);
if (result.ok) {
  console.log(result.value.name);
  // A member that the specification does not know stays in the value.
  console.log(unknownMember(result.value, "motto"));
}

// An issue names its place by a JSON pointer, and repeats no value.
const wrong = Guild.safeDecode({ id: true, name: "Lamplighters" });
if (!wrong.ok)
  for (const { pointer, expected } of wrong.error.issues) console.log(pointer, expected);
