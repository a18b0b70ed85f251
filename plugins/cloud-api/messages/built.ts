import type { BinaryNode } from '@whiskeysockets/baileys'
import type { SendContent } from 'wamux/messaging'
import type { Facts } from '../store/sent-facts.ts'

/** A message ready to be sent. */
export interface Built {
  content(): Promise<SendContent> | SendContent
  readonly nodes?: BinaryNode[]
  /** What later webhooks need of it. */
  readonly facts?: Facts
}
