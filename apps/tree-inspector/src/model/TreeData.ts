/**
 * The data file of a passive tree, as the game's publisher exports it (`tree.json` or `data.json`):
 * names of nodes and masteries, and their places. The user drops it in; the page parses it and
 * keeps in IndexedDB only what it shows.
 */

/** A node of the tree, at its place. */
interface TreeNode {
  readonly id: number;
  readonly name: string;
  readonly kind: "normal" | "notable" | "keystone" | "mastery" | "jewel";
  readonly x: number;
  readonly y: number;
  readonly out: ReadonlyArray<number>;
}

/** The part of a data file that the page shows. */
export interface TreeData {
  readonly fileName: string;
  readonly nodes: ReadonlyArray<TreeNode>;
  /** First line of each mastery effect, by its hash. */
  readonly effects: Readonly<Record<number, string>>;
}

/** The file is not a passive tree; the message names the member that is missing. */
export class TreeFileError extends Error {
  override readonly name = "TreeFileError";
}

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Parses a data file. */
export const parseTreeFile = (fileName: string, text: string): TreeData => {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch {
    throw new TreeFileError(`${fileName} is not JSON.`);
  }
  const { constants, groups, nodes } = isObject(file) ? file : {};
  for (const [name, member] of Object.entries({ nodes, groups }))
    if (!isObject(member) && !Array.isArray(member))
      throw new TreeFileError(`${fileName} has no “${name}”: it is not a passive tree's data.`);
  const orbits = orbitsOf(isObject(constants) ? constants : {});
  const list: Array<TreeNode> = [];
  const effects: Record<number, string> = {};
  for (const [key, node] of Object.entries(nodes as Json)) {
    if (!isObject(node)) continue;
    const group = (groups as Json)[String(node["group"])];
    const id = Number(node["skill"] ?? key);
    if (!isObject(group) || !Number.isInteger(id)) continue;
    readEffects(node["masteryEffects"], effects);
    const place = orbits(Number(node["orbit"] ?? 0), Number(node["orbitIndex"] ?? 0));
    list.push({
      id,
      name: typeof node["name"] === "string" ? node["name"] : `Node ${id}`,
      kind: kindOf(node),
      x: Number(group["x"] ?? 0) + place.x,
      y: Number(group["y"] ?? 0) + place.y,
      out: Array.isArray(node["out"]) ? node["out"].map(Number) : [],
    });
  }
  if (list.length === 0) throw new TreeFileError(`${fileName} has no nodes with a place.`);
  return { fileName, nodes: list, effects };
};

const kindOf = (node: Json): TreeNode["kind"] => {
  if (node["isKeystone"] === true) return "keystone";
  if (node["isNotable"] === true) return "notable";
  if (node["isMastery"] === true) return "mastery";
  return node["isJewelSocket"] === true ? "jewel" : "normal";
};

const readEffects = (value: unknown, effects: Record<number, string>): void => {
  for (const effect of Array.isArray(value) ? value : []) {
    const stats = isObject(effect) ? effect["stats"] : undefined;
    if (Array.isArray(stats)) effects[Number((effect as Json)["effect"])] = stats.join("; ");
  }
};

const RADII = [0, 82, 162, 335, 493, 662, 846];
const PLACES = [1, 6, 16, 16, 40, 72, 72];
/** Degrees on orbits whose places are not spread evenly. */
const UNEVEN: Readonly<Record<number, ReadonlyArray<number>>> = {
  16: [0, 30, 45, 60, 90, 120, 135, 150, 180, 210, 225, 240, 270, 300, 315, 330],
  40: [
    0, 10, 20, 30, 40, 45, 50, 60, 70, 80, 90, 100, 110, 120, 130, 135, 140, 150, 160, 170, 180,
    190, 200, 210, 220, 225, 230, 240, 250, 260, 270, 280, 290, 300, 310, 315, 320, 330, 340, 350,
  ],
};

const orbitsOf = (constants: Json) => {
  const numbers = (name: string, fallback: ReadonlyArray<number>) =>
    Array.isArray(constants[name]) ? (constants[name] as ReadonlyArray<number>) : fallback;
  const radii = numbers("orbitRadii", RADII);
  const places = numbers("skillsPerOrbit", PLACES);
  return (orbit: number, index: number) => {
    const count = places[orbit] ?? 1;
    const degrees = UNEVEN[count]?.[index] ?? (360 * index) / count;
    const angle = (degrees * Math.PI) / 180;
    const radius = radii[orbit] ?? 0;
    return { x: radius * Math.sin(angle), y: -radius * Math.cos(angle) };
  };
};

const DATABASE = "tree-inspector";
const STORE = "files";
const KEY = "tree";

const inStore = <A>(
  mode: IDBTransactionMode,
  run: (store: IDBObjectStore) => IDBRequest<A>,
): Promise<A> =>
  new Promise((resolve, reject) => {
    const opening = indexedDB.open(DATABASE, 1);
    opening.addEventListener("upgradeneeded", () => opening.result.createObjectStore(STORE));
    opening.addEventListener("error", () => reject(opening.error ?? new Error("IndexedDB")));
    opening.addEventListener("success", () => {
      const request = run(opening.result.transaction(STORE, mode).objectStore(STORE));
      request.addEventListener("success", () => resolve(request.result));
      request.addEventListener("error", () => reject(request.error ?? new Error("IndexedDB")));
    });
  });

/** Keeps the data of a tree in this browser. */
export const saveTree = (data: TreeData): Promise<unknown> =>
  inStore("readwrite", (store) => store.put(data, KEY));

/** Reads the kept data; `undefined` if there is none. */
export const loadTree = (): Promise<TreeData | undefined> =>
  inStore("readonly", (store) => store.get(KEY) as IDBRequest<TreeData | undefined>);

/** Forgets the kept data. */
export const forgetTree = (): Promise<unknown> =>
  inStore("readwrite", (store) => store.delete(KEY));
