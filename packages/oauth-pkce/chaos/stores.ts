/** Opens a token store by its address: `file:FOLDER`, `redis://…`, `postgres://…`. */
import { openFileStore } from "../src/node/FileStore.ts";
import { migrate, postgresStore } from "../src/postgres/index.ts";
import { fromIoredis, redisStore } from "../src/redis/index.ts";
import type { Backend } from "../src/TokenStore.ts";

export interface OpenStore extends Backend {
  readonly close: () => Promise<void>;
}

/** Opens the store. Its driver is loaded for it alone: processes of a file store start faster. */
export const openStore = async (address: string): Promise<OpenStore> => {
  if (address.startsWith("file:")) return openFileStore(address.slice("file:".length));
  if (address.startsWith("redis:")) {
    const { Redis } = await import("ioredis");
    const client = new Redis(address, { maxRetriesPerRequest: 1 });
    client.on("error", () => undefined);
    return {
      ...redisStore(fromIoredis(client)),
      close: async () => client.disconnect(),
    };
  }
  const { Pool } = await import("pg");
  const pool = new Pool({ connectionString: address, max: 4 });
  pool.on("error", () => undefined);
  await migrate(pool);
  return { ...postgresStore(pool), close: () => pool.end() };
};
