import { Reader } from "../src/web/Reader.ts";
import { openScope, search, describe } from "../src/web/search.ts";
import { sourceFor } from "../src/web/plan.ts";
const reader = new Reader("/dev/shm/strangers/bench.items");
const leagues = reader.all<{name:string, listed:number}>("SELECT name, listed FROM league WHERE name <> '' ORDER BY listed DESC LIMIT 6");
console.log(leagues.map((l)=>[l.name,l.listed].join(" ")).join(", "));
const cpu = <A>(f: () => A): [number, A] => { const b = process.threadCpuUsage(); const a = f(); const { user, system } = process.threadCpuUsage(b); return [Math.round((user + system) / 100) / 10, a]; };
const V = "+# to maximum Vigour", F = "+# to maximum Focus", R = "+#% to Frost Resistance", S="Adds # to # Storm Damage";
const mod = (template: string, min: number) => ({ template, min, max: undefined });
const CASES: Array<any> = [
  { q: "band" }, { q: "ring" }, { q: "quiet" }, { base: "Brasswork Band", rarity: "rare", ilvlMin: 40 },
  { mod: [mod(V, 60), mod(F, 40)], rarity: "rare" }, { mod: [mod(V, 20), mod(R, 20)], rarity: "rare" }, { mod: [mod(V, 80), mod(F, 60), mod(R, 30)] }, { mod: [mod(V, 20), mod(F, 20), mod(R, 10)] },
  { q: "Helm", mod: [mod(V, 60)], linksMin: 2 }, { q: "Band", mod: [mod(S, 20)], linksMin: 3 }, {priceMin: 3, priceMax: 200, rarity: "unique"},
];
for (let round = 0; round < 2; round++) for (const c of CASES) for (const l of [leagues[0]!, leagues[4]!]) {
  const [open, scope] = cpu(() => openScope(reader, { league: l.name, ...c }));
  const [plan, source] = cpu(() => sourceFor(reader, scope.league, scope.conditions, 51));
  const [all, r] = cpu(() => search(scope, { sort: "price", limit: 50, cursor: undefined }));
  const [desc] = cpu(() => describe(reader, r.hits));
  if (round === 1) console.log(l.listed, JSON.stringify(c).slice(0, 70), `open ${open} plan ${plan} search ${all} (${source === undefined ? "walk" : "collect"}) describe ${desc} hits ${r.hits.length}`);
}
