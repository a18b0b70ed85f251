import type { AnyMediaMessageContent } from '@whiskeysockets/baileys'
import { type FlowButton, type Interactive, toInteractive } from 'wamux/messaging'
import type { LiveSession } from 'wamux/plugin'

/** Proto value of cards in a horizontal row. */
const HSCROLL_CARDS = 1

export interface Card {
  title?: string | undefined
  text: string
  footer?: string | undefined
  buttons: readonly FlowButton[]
  /** Fetched when the card is built, so that one file at a time is in memory. */
  file?: () => Promise<AnyMediaMessageContent>
}

/** A text with cards below it. iOS requires a context, even an empty one (EvolutionAPI/evolution-go). */
export async function toCarousel(
  session: LiveSession,
  chat: string,
  { body = '', footer }: { body?: string | undefined; footer?: string | undefined },
  cards: readonly Card[],
): Promise<Interactive> {
  const made: Interactive[] = []
  for (const { title, text, footer: line, buttons, file } of cards) {
    const parts = { title, body: text, footer: line, buttons }
    made.push(await toInteractive(session, chat, file ? { ...parts, file: await file() } : parts))
  }
  return {
    body: { text: body },
    ...(footer ? { footer: { text: footer } } : {}),
    contextInfo: {},
    carouselMessage: { cards: made, messageVersion: 1, carouselCardType: HSCROLL_CARDS },
  }
}
