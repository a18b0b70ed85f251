import type { Migration } from '../kernel/types/storage.ts'
import { tables } from './001_tables.ts'

/** The kernel's own tables. Plugins bring theirs. */
export const migrations: Record<string, Migration> = { '001_tables': tables }
