import type { Vault } from 'wamux/plugin'

/** Encryption of the driver's columns for one session. Imports nothing from Baileys: commands use it too. */
export interface Seals {
  sealText(place: string, text: Buffer): Buffer
  openText(place: string, sealed: Buffer): Buffer
  /** For a column that is searched by value. */
  index(place: string, value: string): string
}

export function createSeals(vault: Vault, session: string): Seals {
  return {
    sealText: (place, text) => vault.seal(session, `baileys/${place}`, text),
    openText: (place, sealed) => vault.open(session, `baileys/${place}`, sealed),
    index: (place, value) => vault.index(session, `baileys/${place}`, value),
  }
}
