import type { GatewayServices } from 'wamux/plugin'

/** The payload of a client's login or registration. */
export type Payload = ReturnType<GatewayServices['wire']['proto']['ClientPayload']['decode']>

/** Fields of a payload by path, with those of `DeviceProps` below `deviceProps`. Absent fields have no entry. */
export type PayloadFields = Readonly<Record<string, string | number | boolean>>

/** What the network knows about the client. */
export interface Expected {
  readonly isRegistration: boolean
  /** Whether the account's chats are addressed by LID. */
  readonly isLidMigrated: boolean
  /** `lc` of the device's last login; undefined before the first. */
  readonly lastCounter: number | undefined
}

type Rule = (value: PayloadFields[string] | undefined, expected: Expected, fields: PayloadFields) => boolean

/** Keys and hashes of a registration, whose values can't be compared. */
const KEYS = ['buildHash', 'eRegid', 'eKeytype', 'eIdent', 'eSkeyId', 'eSkeyVal', 'eSkeySig']
/** Versions of systems that browsers report: none for Linux, frozen ones for the others. */
const VERSIONS: Readonly<Record<string, RegExp>> = {
  Linux: /^$/,
  'Chrome OS': /^$/,
  Windows: /^10(\.0)*$/,
  'Mac OS': /^10\.15(\.7)?$/,
}
const BROWSERS = ['CHROME', 'FIREFOX', 'OPERA', 'SAFARI', 'EDGE']

const absent: Rule = (value) => value === undefined
const is =
  (wanted: PayloadFields[string]): Rule =>
  (value) =>
    value === wanted
const isNumber: Rule = (value) => typeof value === 'number'
const matches =
  (form: RegExp): Rule =>
  (value) =>
    form.test(String(value ?? ''))
const isCounter: Rule = (value, { lastCounter = -1 }) => typeof value === 'number' && value > lastCounter
const fitsSystem: Rule = (value, _expected, fields) =>
  VERSIONS[String(fields['deviceProps.os'])]?.test(String(value ?? '')) !== false

const ALWAYS: Readonly<Record<string, Rule>> = {
  connectType: is('WIFI_UNKNOWN'),
  connectReason: is('USER_ACTIVATED'),
  'userAgent.platform': is('WEB'),
  'userAgent.releaseChannel': is('RELEASE'),
  'userAgent.device': is('Desktop'),
  'userAgent.manufacturer': is(''),
  'userAgent.osVersion': is('0.1'),
  'userAgent.osBuildNumber': is('0.1'),
  'userAgent.mcc': is('000'),
  'userAgent.mnc': is('000'),
  'userAgent.phoneId': absent,
  'userAgent.localeLanguageIso6391': matches(/^[a-z]{2,3}$/),
  'userAgent.localeCountryIso31661Alpha2': matches(/^[A-Z]{2}$/),
  'webInfo.webSubPlatform': is('WEB_BROWSER'),
}

/** `passive` is not checked, since the examined clients differ. */
const LOGIN: Readonly<Record<string, Rule>> = {
  pull: is(true),
  lc: isCounter,
  connectAttemptCount: isNumber,
  lidDbMigrated: (value, { isLidMigrated }) => value === isLidMigrated,
}

/** The storage quota is not checked, since it depends on the browser. */
const REGISTRATION: Readonly<Record<string, Rule>> = {
  pull: is(false),
  passive: is(false),
  'deviceProps.os': (value) => String(value) in VERSIONS,
  'deviceProps.version': fitsSystem,
  'deviceProps.platformType': (value) => BROWSERS.includes(String(value)),
  'deviceProps.requireFullSync': is(false),
  'deviceProps.historySyncConfig.storageQuotaMb': isNumber,
  'deviceProps.historySyncConfig.thumbnailSyncDaysLimit': is(60),
  ...Object.fromEntries(
    [
      'inlineInitialPayloadInE2EeMsg',
      'supportCallLogHistory',
      'supportBotUserAgentChatHistory',
      'supportCagReactionsAndPolls',
      'supportBizHostedMsg',
      'supportRecentSyncChunkMessageCountTuning',
      'supportHostedGroupMsg',
      'supportFbidBotChatHistory',
      'supportMessageAssociation',
      'supportGroupHistory',
    ].map((name) => [`deviceProps.historySyncConfig.${name}`, is(true)]),
  ),
}

/** All fields of a payload except its keys. */
export function fieldsOf({ proto }: GatewayServices['wire'], payload: Payload): PayloadFields {
  const { devicePairingData, ...rest } = proto.ClientPayload.toObject(payload, PLAIN)
  const deviceProps = payload.devicePairingData?.deviceProps
  const props = deviceProps && proto.DeviceProps.toObject(proto.DeviceProps.decode(deviceProps), PLAIN)
  return {
    ...flat(rest, ''),
    ...(devicePairingData ? flat(omit(devicePairingData, [...KEYS, 'deviceProps']), '') : {}),
    ...(props ? flat(props, 'deviceProps.') : {}),
  }
}

/** The fields that differ from WhatsApp Web in a browser (ZP WaClientPayload.ts, WR store/device.rs). */
export function differences(fields: PayloadFields, expected: Expected): string[] {
  const rules = { ...ALWAYS, ...(expected.isRegistration ? REGISTRATION : LOGIN) }
  const wrong = ([name, rule]: [string, Rule]): boolean => !rule(fields[name], expected, fields)
  return Object.entries(rules)
    .filter(wrong)
    .map(([name]) => name)
}

const PLAIN = { enums: String, longs: Number, bytes: String }

function flat(object: Readonly<Record<string, unknown>>, path: string): PayloadFields {
  return Object.fromEntries(
    Object.entries(object).flatMap(([name, value]): [string, PayloadFields[string]][] => {
      if (isVersion(value)) return [[path + name, Object.values(value).join('.')]]
      if (isObject(value)) return Object.entries(flat(value, `${path}${name}.`))
      return isPlain(value) ? [[path + name, value]] : []
    }),
  )
}

function isVersion(value: unknown): value is Readonly<Record<string, unknown>> {
  return isObject(value) && 'primary' in value
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isPlain(value: unknown): value is PayloadFields[string] {
  return ['string', 'number', 'boolean'].includes(typeof value)
}

function omit(object: Readonly<Record<string, unknown>>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)))
}
