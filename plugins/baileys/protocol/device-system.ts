/** A system that WhatsApp Web runs on, under the name that WhatsApp Web uses. */
export interface DeviceSystem {
  readonly os: string
  /** Undefined if browsers report none. */
  readonly version: { primary: number; secondary: number; tertiary: number } | undefined
}

const SYSTEMS: Readonly<Record<string, DeviceSystem['version']>> = {
  Linux: undefined,
  // Frozen by browsers.
  Windows: { primary: 10, secondary: 0, tertiary: 0 },
  'Mac OS': { primary: 10, secondary: 15, tertiary: 7 },
}

/** Used if the operator gives no name. */
const DEFAULT = 'Linux'

/**
 * The system that a session registers: phones show `os` in their list of linked devices. A custom name is kept as it is and
 * has no version: WhatsApp Web omits an unknown version (ZP WaClientPayload.ts parseOsVersion).
 */
export function systemOf(name: string): DeviceSystem {
  const os = name || DEFAULT
  return { os, version: SYSTEMS[os] }
}

/** The device name for linking by code; the network refuses unknown systems (Baileys#2769). */
export function displayOf(name: string): string {
  return `Chrome (${Object.hasOwn(SYSTEMS, name) ? name : DEFAULT})`
}
