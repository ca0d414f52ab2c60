/** What users can import. `vitest -u` writes the list; a changed line needs a changeset. */
import { exportedNames } from "@game-data/test-support";
import { expect, it } from "vitest";

it("the entries of @game-data/tree-link export exactly the names of the snapshot", async () => {
  expect(await exportedNames(new URL("..", import.meta.url))).toMatchInlineSnapshot(`
    "./arbitrary: link nearlyInput nearlyPayload payload samplePayloads
    ./class-names: ALTERNATE_ASCENDANCIES CLASSES
    ./compare: compare isSame
    ./convert: VERSIONS convert losses
    ./effect: TreeLink TreeLinkError TreeLinkFromString decode encode
    ./fuzz: fuzz passes session
    ./layout: layout
    ./partial: decodePartial repair
    ./passives: classId fromCharacter fromPassives
    ./text: diffLines explain fieldRows formatLosses summary
    ./url: TreeLinkUrlError buildUrl decodeUrl extractPayload findLinks
    .: DEFAULT_MAX_LENGTH TreeLinkError decode decodeBytes encode encodeBytes safeDecode"
  `);
});
