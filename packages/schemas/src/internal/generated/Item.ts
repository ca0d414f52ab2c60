/** Generated from the schema of `Item` by `pnpm generate`. Not to be edited. */
import { MAX_DEPTH } from "../depth.ts";
import { check as checkCrucibleNode } from "./CrucibleNode.ts";
import { check as checkGemTab } from "./GemTab.ts";
import { check as checkItemMod } from "./ItemMod.ts";
import { check as checkItemProperty } from "./ItemProperty.ts";
import { check as checkItemSocket } from "./ItemSocket.ts";

function part1(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const members = value as { readonly [key: string]: unknown };
  let required = 0;
  for (const key in members) {
    const member = members[key];
    switch (key.length) {
      case 9:
        if (key === "isVaalGem") {
          if (!(typeof member === "boolean" || member === null)) return false;
        }
        break;
      case 10:
        if (key === "properties") {
          if (member !== null) {
            if (!Array.isArray(member)) return false;
            for (let i0 = 0; i0 < member.length; i0++) {
              const element0: unknown = member[i0];
              if (!checkItemProperty(element0)) return false;
            }
          }
        }
        break;
      case 12:
        if (key === "baseTypeName") {
          if (!(typeof member === "string")) return false;
          required++;
        } else if (key === "explicitMods") {
          if (member !== null) {
            if (!Array.isArray(member)) return false;
            for (let i0 = 0; i0 < member.length; i0++) {
              const element0: unknown = member[i0];
              if (!(typeof element0 === "string" || checkItemMod(element0))) return false;
            }
          }
        } else if (key === "secDescrText") {
          if (!(typeof member === "string" || member === null)) return false;
        }
        break;
    }
  }
  return required === 1;
}

function part3(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const members = value as { readonly [key: string]: unknown };
  for (const key in members) {
    const member = members[key];
    if (!Number.isSafeInteger(member)) return false;
  }
  return true;
}

function part4(value: unknown): boolean {
  if (!Array.isArray(value)) return false;
  if (!(value.length === 0)) return false;
  return true;
}

function part2(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const members = value as { readonly [key: string]: unknown };
  let required = 0;
  for (const key in members) {
    const member = members[key];
    switch (key.length) {
      case 5:
        if (key === "label") {
          if (!(typeof member === "string")) return false;
          required++;
        }
        break;
      case 7:
        if (key === "rewards") {
          if (!(part3(member) || part4(member))) return false;
          required++;
        }
        break;
    }
  }
  return required === 2;
}

function part5(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const members = value as { readonly [key: string]: unknown };
  let required = 0;
  for (const key in members) {
    const member = members[key];
    switch (key.length) {
      case 4:
        if (key === "tier") {
          if (!(Number.isSafeInteger(member) && (member as number) >= 0)) return false;
          required++;
        }
        break;
      case 5:
        if (key === "level") {
          if (!((Number.isSafeInteger(member) && (member as number) >= 0) || member === null))
            return false;
        } else if (key === "total") {
          if (!((Number.isSafeInteger(member) && (member as number) >= 0) || member === null))
            return false;
        }
        break;
      case 8:
        if (key === "progress") {
          if (!((Number.isSafeInteger(member) && (member as number) >= 0) || member === null))
            return false;
        }
        break;
    }
  }
  return required === 1;
}

function part7(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const members = value as { readonly [key: string]: unknown };
  for (const key in members) {
    const member = members[key];
    if (!checkCrucibleNode(member)) return false;
  }
  return true;
}

function part6(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const members = value as { readonly [key: string]: unknown };
  let required = 0;
  for (const key in members) {
    const member = members[key];
    switch (key.length) {
      case 5:
        if (key === "nodes") {
          if (!(part7(member) || part4(member))) return false;
          required++;
        }
        break;
      case 6:
        if (key === "layout") {
          if (!(typeof member === "string")) return false;
          required++;
        }
        break;
    }
  }
  return required === 2;
}

function part8(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const members = value as { readonly [key: string]: unknown };
  for (const key in members) {
    const member = members[key];
    switch (key.length) {
      case 8:
        if (key === "prefixes") {
          if (!((Number.isSafeInteger(member) && (member as number) >= 0) || member === null))
            return false;
        } else if (key === "suffixes") {
          if (!((Number.isSafeInteger(member) && (member as number) >= 0) || member === null))
            return false;
        }
        break;
    }
  }
  return true;
}

function part9(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const members = value as { readonly [key: string]: unknown };
  for (const key in members) {
    const member = members[key];
    switch (key.length) {
      case 5:
        if (key === "elder") {
          if (!(typeof member === "boolean" || member === null)) return false;
        }
        break;
      case 6:
        if (key === "shaper") {
          if (!(typeof member === "boolean" || member === null)) return false;
        }
        break;
      case 7:
        if (key === "searing") {
          if (!(typeof member === "boolean" || member === null)) return false;
        } else if (key === "tangled") {
          if (!(typeof member === "boolean" || member === null)) return false;
        }
        break;
    }
  }
  return true;
}

function part11(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const members = value as { readonly [key: string]: unknown };
  let required = 0;
  for (const key in members) {
    const member = members[key];
    switch (key.length) {
      case 2:
        if (key === "id") {
          if (!(typeof member === "string")) return false;
          required++;
        }
        break;
      case 4:
        if (key === "name") {
          if (!(typeof member === "string")) return false;
          required++;
        }
        break;
    }
  }
  return required === 2;
}

function part10(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const members = value as { readonly [key: string]: unknown };
  let required = 0;
  for (const key in members) {
    const member = members[key];
    switch (key.length) {
      case 4:
        if (key === "name") {
          if (!(typeof member === "string")) return false;
          required++;
        } else if (key === "mods") {
          if (!Array.isArray(member)) return false;
          for (let i0 = 0; i0 < member.length; i0++) {
            const element0: unknown = member[i0];
            if (!(typeof element0 === "string")) return false;
          }
          required++;
        }
        break;
      case 7:
        if (key === "faction") {
          if (!part11(member)) return false;
          required++;
        }
        break;
    }
  }
  return required === 3;
}

function part12(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const members = value as { readonly [key: string]: unknown };
  let required = 0;
  for (const key in members) {
    const member = members[key];
    switch (key.length) {
      case 4:
        if (key === "type") {
          if (!(typeof member === "string")) return false;
          required++;
        } else if (key === "tier") {
          if (!(Number.isSafeInteger(member) && (member as number) >= 0)) return false;
          required++;
        }
        break;
    }
  }
  return required === 2;
}

function part13(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const members = value as { readonly [key: string]: unknown };
  let required = 0;
  for (const key in members) {
    const member = members[key];
    switch (key.length) {
      case 4:
        if (key === "name") {
          if (!(typeof member === "string")) return false;
          required++;
        }
        break;
      case 5:
        if (key === "level") {
          if (!(Number.isSafeInteger(member) && (member as number) >= 0)) return false;
          required++;
        } else if (key === "total") {
          if (!(Number.isSafeInteger(member) && (member as number) >= 0)) return false;
          required++;
        }
        break;
      case 8:
        if (key === "progress") {
          if (!(Number.isSafeInteger(member) && (member as number) >= 0)) return false;
          required++;
        }
        break;
    }
  }
  return required === 4;
}

export function check(value: unknown, depth: number): boolean {
  if (depth > MAX_DEPTH) return false;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const members = value as { readonly [key: string]: unknown };
  let required = 0;
  for (const key in members) {
    const member = members[key];
    switch (key.length) {
      case 1:
        if (key === "w") {
          if (!(Number.isSafeInteger(member) && (member as number) >= 0)) return false;
          required++;
        } else if (key === "h") {
          if (!(Number.isSafeInteger(member) && (member as number) >= 0)) return false;
          required++;
        } else if (key === "x") {
          if (!((Number.isSafeInteger(member) && (member as number) >= 0) || member === null))
            return false;
        } else if (key === "y") {
          if (!((Number.isSafeInteger(member) && (member as number) >= 0) || member === null))
            return false;
        }
        break;
      case 2:
        if (key === "id") {
          if (!(typeof member === "string" || member === null)) return false;
        }
        break;
      case 4:
        if (key === "icon") {
          if (!(typeof member === "string")) return false;
          required++;
        } else if (key === "name") {
          if (!(typeof member === "string")) return false;
          required++;
        } else if (key === "ilvl") {
          if (!Number.isSafeInteger(member)) return false;
          required++;
        } else if (key === "note") {
          if (!(typeof member === "string" || member === null)) return false;
        }
        break;
      case 5:
        if (key === "realm") {
          if (!(typeof member === "string" || member === null)) return false;
        } else if (key === "delve") {
          if (!(typeof member === "boolean" || member === null)) return false;
        } else if (key === "split") {
          if (!(typeof member === "boolean" || member === null)) return false;
        }
        break;
      case 6:
        if (key === "league") {
          if (!(typeof member === "string" || member === null)) return false;
        } else if (key === "rarity") {
          if (!(typeof member === "string" || member === null)) return false;
        } else if (key === "veiled") {
          if (!(typeof member === "boolean" || member === null)) return false;
        } else if (key === "hybrid") {
          if (!(part1(member) || member === null)) return false;
        } else if (key === "socket") {
          if (!((Number.isSafeInteger(member) && (member as number) >= 0) || member === null))
            return false;
        } else if (key === "colour") {
          if (!(typeof member === "string" || member === null)) return false;
        }
        break;
      case 7:
        if (key === "support") {
          if (!(typeof member === "boolean" || member === null)) return false;
        } else if (key === "sockets") {
          if (member !== null) {
            if (!Array.isArray(member)) return false;
            for (let i0 = 0; i0 < member.length; i0++) {
              const element0: unknown = member[i0];
              if (!checkItemSocket(element0)) return false;
            }
          }
        } else if (key === "rewards") {
          if (member !== null) {
            if (!Array.isArray(member)) return false;
            for (let i0 = 0; i0 < member.length; i0++) {
              const element0: unknown = member[i0];
              if (!part2(element0)) return false;
            }
          }
        } else if (key === "gemTabs") {
          if (member !== null) {
            if (!Array.isArray(member)) return false;
            for (let i0 = 0; i0 < member.length; i0++) {
              const element0: unknown = member[i0];
              if (!checkGemTab(element0)) return false;
            }
          }
        } else if (key === "isRelic") {
          if (!(typeof member === "boolean" || member === null)) return false;
        } else if (key === "replica") {
          if (!(typeof member === "boolean" || member === null)) return false;
        }
        break;
      case 8:
        if (key === "verified") {
          if (!(typeof member === "boolean")) return false;
          required++;
        } else if (key === "typeLine") {
          if (!(typeof member === "string")) return false;
          required++;
        } else if (key === "baseType") {
          if (!(typeof member === "string")) return false;
          required++;
        } else if (key === "runeMods") {
          if (member !== null) {
            if (!Array.isArray(member)) return false;
            for (let i0 = 0; i0 < member.length; i0++) {
              const element0: unknown = member[i0];
              if (!(typeof element0 === "string")) return false;
            }
          }
        } else if (key === "gemSkill") {
          if (!(typeof member === "string" || member === null)) return false;
        } else if (key === "scourged") {
          if (!(part5(member) || member === null)) return false;
        } else if (key === "crucible") {
          if (!(part6(member) || member === null)) return false;
        } else if (key === "ruthless") {
          if (!(typeof member === "boolean" || member === null)) return false;
        } else if (key === "extended") {
          if (!(part8(member) || member === null)) return false;
        }
        break;
      case 9:
        if (key === "stackSize") {
          if (!(Number.isSafeInteger(member) || member === null)) return false;
        } else if (key === "fractured") {
          if (!(typeof member === "boolean" || member === null)) return false;
        } else if (key === "itemLevel") {
          if (!(Number.isSafeInteger(member) || member === null)) return false;
        } else if (key === "corrupted") {
          if (!(typeof member === "boolean" || member === null)) return false;
        } else if (key === "descrText") {
          if (!(typeof member === "string" || member === null)) return false;
        } else if (key === "frameType") {
          if (!((Number.isSafeInteger(member) && (member as number) >= 0) || member === null))
            return false;
        }
        break;
      case 10:
        if (key === "gemSockets") {
          if (member !== null) {
            if (!Array.isArray(member)) return false;
            for (let i0 = 0; i0 < member.length; i0++) {
              const element0: unknown = member[i0];
              if (!(typeof element0 === "string")) return false;
            }
          }
        } else if (key === "influences") {
          if (!(part9(member) || member === null)) return false;
        } else if (key === "memoryItem") {
          if (!(typeof member === "boolean" || member === null)) return false;
        } else if (key === "abyssJewel") {
          if (!(typeof member === "boolean" || member === null)) return false;
        } else if (key === "identified") {
          if (!(typeof member === "boolean")) return false;
          required++;
        } else if (key === "forum_note") {
          if (!(typeof member === "string" || member === null)) return false;
        } else if (key === "duplicated") {
          if (!(typeof member === "boolean" || member === null)) return false;
        } else if (key === "sanctified") {
          if (!(typeof member === "boolean" || member === null)) return false;
        } else if (key === "properties") {
          if (member !== null) {
            if (!Array.isArray(member)) return false;
            for (let i0 = 0; i0 < member.length; i0++) {
              const element0: unknown = member[i0];
              if (!checkItemProperty(element0)) return false;
            }
          }
        } else if (key === "veiledMods") {
          if (member !== null) {
            if (!Array.isArray(member)) return false;
            for (let i0 = 0; i0 < member.length; i0++) {
              const element0: unknown = member[i0];
              if (!(typeof element0 === "string")) return false;
            }
          }
        } else if (key === "desecrated") {
          if (!(typeof member === "boolean" || member === null)) return false;
        } else if (key === "foreseeing") {
          if (!(typeof member === "boolean" || member === null)) return false;
        }
        break;
      case 11:
        if (key === "synthesised") {
          if (!(typeof member === "boolean" || member === null)) return false;
        } else if (key === "utilityMods") {
          if (member !== null) {
            if (!Array.isArray(member)) return false;
            for (let i0 = 0; i0 < member.length; i0++) {
              const element0: unknown = member[i0];
              if (!(typeof element0 === "string")) return false;
            }
          }
        } else if (key === "logbookMods") {
          if (member !== null) {
            if (!Array.isArray(member)) return false;
            for (let i0 = 0; i0 < member.length; i0++) {
              const element0: unknown = member[i0];
              if (!part10(element0)) return false;
            }
          }
        } else if (key === "enchantMods") {
          if (member !== null) {
            if (!Array.isArray(member)) return false;
            for (let i0 = 0; i0 < member.length; i0++) {
              const element0: unknown = member[i0];
              if (!(typeof element0 === "string")) return false;
            }
          }
        } else if (key === "scourgeMods") {
          if (member !== null) {
            if (!Array.isArray(member)) return false;
            for (let i0 = 0; i0 < member.length; i0++) {
              const element0: unknown = member[i0];
              if (!(typeof element0 === "string")) return false;
            }
          }
        } else if (key === "craftedMods") {
          if (member !== null) {
            if (!Array.isArray(member)) return false;
            for (let i0 = 0; i0 < member.length; i0++) {
              const element0: unknown = member[i0];
              if (!(typeof element0 === "string")) return false;
            }
          }
        } else if (key === "flavourText") {
          if (member !== null) {
            if (!Array.isArray(member)) return false;
            for (let i0 = 0; i0 < member.length; i0++) {
              const element0: unknown = member[i0];
              if (!(typeof element0 === "string")) return false;
            }
          }
        } else if (key === "artFilename") {
          if (!(typeof member === "string" || member === null)) return false;
        } else if (key === "inventoryId") {
          if (!(typeof member === "string" || member === null)) return false;
        }
        break;
      case 12:
        if (key === "maxStackSize") {
          if (!(Number.isSafeInteger(member) || member === null)) return false;
        } else if (key === "iconTierText") {
          if (!(typeof member === "string" || member === null)) return false;
        } else if (key === "unmodifiable") {
          if (!(typeof member === "boolean" || member === null)) return false;
        } else if (key === "thRaceReward") {
          if (!(typeof member === "boolean" || member === null)) return false;
        } else if (key === "requirements") {
          if (member !== null) {
            if (!Array.isArray(member)) return false;
            for (let i0 = 0; i0 < member.length; i0++) {
              const element0: unknown = member[i0];
              if (!checkItemProperty(element0)) return false;
            }
          }
        } else if (key === "talismanTier") {
          if (!(Number.isSafeInteger(member) || member === null)) return false;
        } else if (key === "secDescrText") {
          if (!(typeof member === "string" || member === null)) return false;
        } else if (key === "implicitMods") {
          if (member !== null) {
            if (!Array.isArray(member)) return false;
            for (let i0 = 0; i0 < member.length; i0++) {
              const element0: unknown = member[i0];
              if (!(typeof element0 === "string" || checkItemMod(element0))) return false;
            }
          }
        } else if (key === "explicitMods") {
          if (member !== null) {
            if (!Array.isArray(member)) return false;
            for (let i0 = 0; i0 < member.length; i0++) {
              const element0: unknown = member[i0];
              if (!(typeof element0 === "string" || checkItemMod(element0))) return false;
            }
          }
        } else if (key === "crucibleMods") {
          if (member !== null) {
            if (!Array.isArray(member)) return false;
            for (let i0 = 0; i0 < member.length; i0++) {
              const element0: unknown = member[i0];
              if (!(typeof element0 === "string")) return false;
            }
          }
        } else if (key === "cosmeticMods") {
          if (member !== null) {
            if (!Array.isArray(member)) return false;
            for (let i0 = 0; i0 < member.length; i0++) {
              const element0: unknown = member[i0];
              if (!(typeof element0 === "string")) return false;
            }
          }
        } else if (key === "prophecyText") {
          if (!(typeof member === "string" || member === null)) return false;
        }
        break;
      case 13:
        if (key === "stackSizeText") {
          if (!(typeof member === "string" || member === null)) return false;
        } else if (key === "cisRaceReward") {
          if (!(typeof member === "boolean" || member === null)) return false;
        } else if (key === "seaRaceReward") {
          if (!(typeof member === "boolean" || member === null)) return false;
        } else if (key === "grantedSkills") {
          if (member !== null) {
            if (!Array.isArray(member)) return false;
            for (let i0 = 0; i0 < member.length; i0++) {
              const element0: unknown = member[i0];
              if (!checkItemProperty(element0)) return false;
            }
          }
        } else if (key === "ultimatumMods") {
          if (member !== null) {
            if (!Array.isArray(member)) return false;
            for (let i0 = 0; i0 < member.length; i0++) {
              const element0: unknown = member[i0];
              if (!part12(element0)) return false;
            }
          }
        } else if (key === "fracturedMods") {
          if (member !== null) {
            if (!Array.isArray(member)) return false;
            for (let i0 = 0; i0 < member.length; i0++) {
              const element0: unknown = member[i0];
              if (!(typeof element0 === "string")) return false;
            }
          }
        } else if (key === "gemBackground") {
          if (!(typeof member === "string" || member === null)) return false;
        } else if (key === "foilVariation") {
          if (!(Number.isSafeInteger(member) || member === null)) return false;
        } else if (key === "incubatedItem") {
          if (!(part13(member) || member === null)) return false;
        } else if (key === "socketedItems") {
          if (member !== null) {
            if (!Array.isArray(member)) return false;
            for (let i0 = 0; i0 < member.length; i0++) {
              const element0: unknown = member[i0];
              if (!check(element0, depth + 1)) return false;
            }
          }
        }
        break;
      case 14:
        if (key === "desecratedMods") {
          if (member !== null) {
            if (!Array.isArray(member)) return false;
            for (let i0 = 0; i0 < member.length; i0++) {
              const element0: unknown = member[i0];
              if (!(typeof element0 === "string")) return false;
            }
          }
        }
        break;
      case 15:
        if (key === "lockedToAccount") {
          if (!(typeof member === "boolean" || member === null)) return false;
        } else if (key === "flavourTextNote") {
          if (!(typeof member === "string" || member === null)) return false;
        }
        break;
      case 16:
        if (key === "unidentifiedTier") {
          if (!(Number.isSafeInteger(member) || member === null)) return false;
        }
        break;
      case 17:
        if (key === "lockedToCharacter") {
          if (!(typeof member === "boolean" || member === null)) return false;
        } else if (key === "notableProperties") {
          if (member !== null) {
            if (!Array.isArray(member)) return false;
            for (let i0 = 0; i0 < member.length; i0++) {
              const element0: unknown = member[i0];
              if (!checkItemProperty(element0)) return false;
            }
          }
        }
        break;
      case 18:
        if (key === "weaponRequirements") {
          if (member !== null) {
            if (!Array.isArray(member)) return false;
            for (let i0 = 0; i0 < member.length; i0++) {
              const element0: unknown = member[i0];
              if (!checkItemProperty(element0)) return false;
            }
          }
        }
        break;
      case 20:
        if (key === "additionalProperties") {
          if (member !== null) {
            if (!Array.isArray(member)) return false;
            for (let i0 = 0; i0 < member.length; i0++) {
              const element0: unknown = member[i0];
              if (!checkItemProperty(element0)) return false;
            }
          }
        }
        break;
      case 21:
        if (key === "nextLevelRequirements") {
          if (member !== null) {
            if (!Array.isArray(member)) return false;
            for (let i0 = 0; i0 < member.length; i0++) {
              const element0: unknown = member[i0];
              if (!checkItemProperty(element0)) return false;
            }
          }
        }
        break;
      case 22:
        if (key === "supportGemRequirements") {
          if (member !== null) {
            if (!Array.isArray(member)) return false;
            for (let i0 = 0; i0 < member.length; i0++) {
              const element0: unknown = member[i0];
              if (!checkItemProperty(element0)) return false;
            }
          }
        }
        break;
      case 23:
        if (key === "unmodifiableExceptChaos") {
          if (!(typeof member === "boolean" || member === null)) return false;
        }
        break;
    }
  }
  return required === 9;
}
