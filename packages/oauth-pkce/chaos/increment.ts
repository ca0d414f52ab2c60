/** One process that adds to a counter by read and write. Arguments: address, key, count. */
import { openStore } from "./stores.ts";

const [address = "", key = "", count = "0"] = process.argv.slice(2);
const store = await openStore(address);
let successes = 0;
while (successes < Number(count)) {
  const found = await store.read(key);
  const next = { version: crypto.randomUUID(), text: `${Number(found?.text ?? 0) + 1}` };
  if (await store.write(key, found?.version, next)) successes += 1;
}
await store.close();
console.log(successes);
