/** The PostgreSQL driver. Its optional peer dependency is `@effect/sql-pg`. */
export * as LeasePostgres from "./lease.ts";
export * as SinkPostgres from "./sink.ts";
