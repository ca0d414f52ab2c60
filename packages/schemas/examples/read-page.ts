/** Reads a page of the stash stream: `node examples/read-page.ts`. */
import { modText, PublicStashPage } from "@game-data/schemas";
import * as Drift from "@game-data/schemas/Drift";
import * as Schemas from "@game-data/schemas/effect";

const text = `{
  "next_change_id": "1-2-3-4-5",
  "stashes": [
    { "id": "${"0".repeat(64)}", "public": false, "items": [] },
    {
      "id": "${"1".repeat(64)}", "public": true, "stashType": "PremiumStash", "league": "Standard",
      "items": [{
        "verified": true, "w": 1, "h": 1, "icon": "https://images.example/ring.png", "name": "", "typeLine": "Ring",
        "baseType": "Ring", "identified": true, "ilvl": 84, "explicitMods": ["+1 to Level"], "frameTypeId": "Rare"
      }]
    }
  ]
}`;

const page = PublicStashPage.decode(JSON.parse(text));
console.log(`${page.stashes.length} stashes`);
for (const stash of page.stashes) {
  if (!stash.public) continue;
  for (const item of stash.items) console.log(item.typeLine, item.explicitMods?.map(modText));
}
for (const { kind, pointer } of Drift.report(Schemas.PublicStashPage, page))
  console.log(kind, pointer);
