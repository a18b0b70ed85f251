import type { readOffer } from '../../parts/webhooks.ts'
import type { EndpointDraft } from './draft.ts'

export type Offer = Awaited<ReturnType<typeof readOffer>>

/** What each part of the form gets. */
export interface PartProps {
  draft: EndpointDraft
  onChange(change: Partial<EndpointDraft>): void
  offer: Offer
  /** The refusal of a field, by its name in the interface. */
  errors: Readonly<Record<string, string>>
}
