import type { proto } from '@whiskeysockets/baileys'
import { addField, bytesField, type MessageClass, readField, writeField } from './added-field.ts'

/** The classes that carry the salt. */
export interface SaltClasses {
  readonly HistorySync: typeof proto.HistorySync
  readonly SyncActionValue: typeof proto.SyncActionValue
}

/** A part of the history with the field that Baileys' protobuf lacks. */
export type WithSalt = proto.IHistorySync & { nctSalt?: Uint8Array | null }
/** A shared setting with the field that Baileys' protobuf lacks. */
export type WithSaltAction = proto.ISyncActionValue & {
  nctSaltSyncAction?: { salt?: Uint8Array | null } | null
}

const HISTORY_FIELD = 19
const ACTION_FIELD = 80
const SALT_FIELD = 1

/** Salts of decoded parts, by a list that the event of a part passes on unchanged. */
const salts = new WeakMap<object, Uint8Array>()

/**
 * Adds the salt of the tokens for first contacts: `HistorySync.nctSalt` (19) and `SyncActionValue.nctSaltSyncAction` (80),
 * which has it as field 1 (whatsmeow appstate.go, whatsapp-rust appstate/schemas.rs). WAProto of rc14 has neither.
 */
export function patchNctSalt({ HistorySync, SyncActionValue }: SaltClasses): void {
  addField(HistorySync as unknown as MessageClass, {
    ...bytesField,
    number: HISTORY_FIELD,
    name: 'nctSalt',
  })
  addField(SyncActionValue as unknown as MessageClass, {
    number: ACTION_FIELD,
    name: 'nctSaltSyncAction',
    decode: (bytes) => {
      const salt = readField(bytes, SALT_FIELD)
      return salt ? { salt: Buffer.from(salt) } : {}
    },
    encode: (value) => {
      const { salt } = value as { salt?: Uint8Array | null }
      return salt ? writeField(SALT_FIELD, salt) : Buffer.alloc(0)
    },
    fromObject: (value) => {
      const { salt } = value as { salt?: unknown }
      return salt ? { salt: bytesField.fromObject(salt) } : {}
    },
    toObject: (value, options) => {
      const { salt } = value as { salt?: Uint8Array | null }
      return salt ? { salt: bytesField.toObject(salt, options) } : {}
    },
  })
  const { decode } = HistorySync
  HistorySync.decode = (...args) => {
    const part = decode.call(HistorySync, ...args)
    const { nctSalt } = part as WithSalt
    if (nctSalt?.length) salts.set(part.pastParticipants, nctSalt)
    return part
  }
}

/**
 * The salt in a part of the history. Baileys builds its event from some of the decoded fields (Utils/history.js
 * processHistoryMessage); only the list of past participants is always present and passed on unchanged.
 */
export function saltIn({ pastParticipants }: { pastParticipants?: object | null }): Uint8Array | undefined {
  return pastParticipants ? salts.get(pastParticipants) : undefined
}

export function verifyNctSalt({ HistorySync, SyncActionValue }: SaltClasses): boolean {
  const salt = Buffer.from('salt')
  const part = HistorySync.decode(writeField(HISTORY_FIELD, salt))
  const action = SyncActionValue.decode(writeField(ACTION_FIELD, writeField(SALT_FIELD, salt)))
  const { nctSaltSyncAction } = action as WithSaltAction
  return saltIn(part)?.length === salt.length && nctSaltSyncAction?.salt?.length === salt.length
}
