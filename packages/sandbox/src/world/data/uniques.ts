/**
 * Unique items, each on one base: name, piece, material, worth in thousandths of an ember shard,
 * rolled lines with their bounds, and a line that no other item has.
 */
import type { StatRow } from "./modifiers.ts";

export type UniqueRow = readonly [
  name: string,
  piece: string,
  material: string,
  worth: number,
  rolls: ReadonlyArray<StatRow>,
  own: string,
];

/** One row per line, ordered by piece, then by base with the lowest first. */
const TABLE = `
Kestrin's Saddle | Helm | Alder | 800 | +#% to Frost Resistance 20 40; +# to maximum Vigour 40 80 | Finds are worth an odd number of coins
Osric's Needle | Helm | Duskhide | 6000 | #% increased Travel Speed 15 30; +# to Grace 20 40; +#% to Ember Resistance 20 40 | Doors stay open behind you
The Brazen Garnet | Helm | Marlstone | 15000 | #% increased Ward 60 140; +# to maximum Vigour 40 80 | You cannot be seen from the river
Brazen Garnet | Helm | Tinscale | 180000 | +#% to Storm Resistance 20 40; +# to maximum Vigour 40 80; #% increased Travel Speed 15 30 | Every seventh step is quicker
Jorun's Inkwell | Cuirass | Alder | 1600 | +#% to Storm Resistance 20 40; #% increased Travel Speed 15 30 | Finds are worth an odd number of coins
The Dusky Meadow | Cuirass | Driftbone | 9000 | +# to Grace 20 40; +# to maximum Vigour 40 80; #% increased Ward 60 140 | Doors stay open behind you
Muted Harbour | Cuirass | Hornplate | 15000 | +#% to Frost Resistance 20 40; #% increased Ward 60 140 | You cannot be seen from the river
The Lucid Willow | Cuirass | Linen | 270000 | +#% to Frost Resistance 20 40; +# to Grace 20 40; +#% to Storm Resistance 20 40 | Lanterns burn at twice their height
Silent Kestrel | Mitts | Alder | 2400 | +#% to Ember Resistance 20 40; +# to Grace 20 40 | You cannot be seen from the river
The Fabled Harbour | Mitts | Cinderweave | 3000 | +#% to Storm Resistance 20 40; #% increased Travel Speed 15 30; +# to maximum Vigour 40 80 | Lanterns burn at twice their height
Edda's Juniper | Mitts | Feltwool | 15000 | +# to maximum Vigour 40 80; +#% to Frost Resistance 20 40 | Every seventh step is quicker
The Keen Ember | Mitts | Hornplate | 180000 | +#% to Frost Resistance 20 40; #% increased Ward 60 140; +# to maximum Vigour 40 80 | What you drop is kept until morning
Maren's Drift | Treads | Alder | 800 | +#% to Storm Resistance 20 40; +#% to Ember Resistance 20 40 | You cannot be seen from the river
Brenna's Meadow | Treads | Brasswork | 3000 | +# to Grace 20 40; +#% to Frost Resistance 20 40; +# to maximum Vigour 40 80 | What you drop is kept until morning
The Umber Kestrel | Treads | Copperleaf | 30000 | +# to maximum Vigour 40 80; #% increased Ward 60 140 | Wards mend while you stand on stone
The Fabled Garnet | Treads | Driftbone | 90000 | +#% to Frost Resistance 20 40; #% increased Travel Speed 15 30; +#% to Storm Resistance 20 40 | Your shadow arrives first
Maren's Ribbon | Targe | Alder | 800 | +# to maximum Vigour 40 80; +#% to Frost Resistance 20 40 | What you drop is kept until morning
Gisla's Juniper | Targe | Brasswork | 6000 | #% increased Ward 60 140; +#% to Storm Resistance 20 40; +# to maximum Vigour 40 80 | Finds are worth an odd number of coins
The Quiet Harbour | Targe | Hornplate | 45000 | #% increased Ward 60 140; +#% to Ember Resistance 20 40 | Lanterns burn at twice their height
Dappled Willow | Targe | Linen | 180000 | #% increased Ward 60 140; +#% to Frost Resistance 20 40; +#% to Storm Resistance 20 40 | Every seventh step is quicker
Jorun's Thicket | Blade | Alder | 2400 | Adds # to ## Storm Damage 5 90; +# to Might 20 40 | Finds are worth an odd number of coins
Harrow's Plume | Blade | Flintglass | 9000 | +# to Might 20 40; #% increased Precision 20 50; Adds # to ## Ember Damage 10 60 | You cannot be seen from the river
Brenna's Quarry | Blade | Oilcloth | 45000 | Adds # to ## Ember Damage 10 60; #% increased Precision 20 50 | Wards mend while you stand on stone
Quiet Viaduct | Blade | Pewter | 180000 | #% increased Precision 20 50; #% increased Weapon Damage 120 220; Adds # to ## Ember Damage 10 60 | Wards mend while you stand on stone
Lucid Compass | Maul | Alder | 1600 | Adds # to ## Storm Damage 5 90; #% increased Weapon Damage 120 220 | Lanterns burn at twice their height
The Nimble Quarry | Maul | Hornplate | 9000 | +# to Might 20 40; #% increased Weapon Damage 120 220; Adds # to ## Ember Damage 10 60 | Wards mend while you stand on stone
The Pale Orchard | Maul | Marlstone | 15000 | #% increased Precision 20 50; +#% to Spell Weight 20 50 | Finds are worth an odd number of coins
Jorun's Drift | Maul | Pewter | 270000 | +#% to Spell Weight 20 50; #% increased Weapon Damage 120 220; Adds # to ## Storm Damage 5 90 | You cannot be seen from the river
Gisla's Quarry | Longbow | Alder | 2400 | #% increased Weapon Damage 120 220; Adds # to ## Storm Damage 5 90 | Every seventh step is quicker
Lorne's Juniper | Longbow | Flintglass | 9000 | +#% to Spell Weight 20 50; Adds # to ## Ember Damage 10 60; Adds # to ## Storm Damage 5 90 | Finds are worth an odd number of coins
Restless Compass | Longbow | Oilcloth | 30000 | #% increased Weapon Damage 120 220; Adds # to ## Storm Damage 5 90 | You cannot be seen from the river
The Ochre Beacon | Longbow | Reedwoven | 90000 | +# to Might 20 40; Adds # to ## Ember Damage 10 60; #% increased Precision 20 50 | What you drop is kept until morning
The Silent Ribbon | Rod | Alder | 1600 | +#% to Spell Weight 20 50; +# to Might 20 40 | Every seventh step is quicker
Silent Ferry | Rod | Copperleaf | 6000 | Adds # to ## Storm Damage 5 90; #% increased Weapon Damage 120 220; +# to Might 20 40 | Wards mend while you stand on stone
The Wistful Compass | Rod | Driftbone | 15000 | Adds # to ## Storm Damage 5 90; #% increased Weapon Damage 120 220 | Finds are worth an odd number of coins
Dusky Harbour | Rod | Linen | 270000 | #% increased Precision 20 50; Adds # to ## Ember Damage 10 60; +#% to Spell Weight 20 50 | What you drop is kept until morning
Pale Willow | Band | Alder | 2400 | +#% to Hollow Resistance 15 30; +# to Wit 20 40 | You cannot be seen from the river
Ashen Lantern | Band | Copperleaf | 3000 | #% increased Rarity of Finds 15 40; +# to maximum Focus 30 70; +# to Wit 20 40 | Every seventh step is quicker
Maren's Willow | Band | Duskhide | 45000 | +# to maximum Vigour 30 60; +# to Wit 20 40 | Finds are worth an odd number of coins
The Restless Quarry | Band | Pewter | 90000 | Regain # Vigour per second 5 40; +#% to Hollow Resistance 15 30; +# to Wit 20 40 | Your shadow arrives first
Keen Drift | Pendant | Alder | 800 | +# to maximum Focus 30 70; +# to maximum Vigour 30 60 | Lanterns burn at twice their height
Aldric's Kestrel | Pendant | Copperleaf | 3000 | #% increased Rarity of Finds 15 40; +# to maximum Focus 30 70; +# to Wit 20 40 | You cannot be seen from the river
The Hollow Orchard | Pendant | Duskhide | 45000 | #% increased Rarity of Finds 15 40; +# to maximum Focus 30 70 | Doors stay open behind you
The Hollow Anchor | Pendant | Pewter | 270000 | +# to Wit 20 40; +# to maximum Vigour 30 60; +# to maximum Focus 30 70 | Lanterns burn at twice their height
The Restless Anchor | Girdle | Alder | 2400 | +# to maximum Focus 30 70; +# to maximum Vigour 30 60 | Lanterns burn at twice their height
The Muted Lantern | Girdle | Cinderweave | 9000 | +# to maximum Focus 30 70; +# to Wit 20 40; +# to maximum Vigour 30 60 | You cannot be seen from the river
Gentle Inkwell | Girdle | Marlstone | 15000 | +# to maximum Vigour 30 60; Regain # Vigour per second 5 40 | Finds are worth an odd number of coins
The Umber Thicket | Girdle | Oilcloth | 180000 | +#% to Hollow Resistance 15 30; +# to maximum Vigour 30 60; +# to Wit 20 40 | Lanterns burn at twice their height
`;

/** Every unique item, ordered by piece, then by base with the lowest first. */
export const UNIQUES: ReadonlyArray<UniqueRow> = TABLE.trim()
  .split("\n")
  .map((line) => {
    const [name = "", piece = "", material = "", worth, rolls = "", own = ""] = line.split(" | ");
    const rows = rolls.split("; ").map((roll): StatRow => {
      const words = roll.split(" ");
      const [low = 0, high = 0] = words.slice(-2).map(Number);
      return [words.slice(0, -2).join(" "), low, high];
    });
    return [name, piece, material, Number(worth), rows, own];
  });
