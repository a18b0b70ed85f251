import type { BinaryNode } from '@whiskeysockets/baileys'
import { child, children, node } from 'wamux/messaging'
import { gatewayError, type LiveSession, type Static, T } from 'wamux/plugin'
import { query } from './query.ts'
import { text, words } from './stanza.ts'

const Words = T.String()

export const Category = T.Object({ ID: Words, Name: Words }, { title: 'BusinessCategory' })

export const Profile = T.Object(
  {
    JID: Words,
    Description: Words,
    Address: Words,
    Email: Words,
    Websites: T.Array(Words),
    Categories: T.Array(Category),
    ProfileOptions: T.Record(T.String(), T.String()),
    CoverPhotoID: T.String({ description: 'Id of the cover picture; empty if there is none' }),
    BusinessHoursTimeZone: Words,
    BusinessHours: T.Array(
      T.Object({
        DayOfWeek: T.String({ description: 'sun, mon …' }),
        Mode: T.String({ description: 'specific_hours, open_24h or appointment_only' }),
        OpenTime: T.String({ description: 'Minutes after midnight; empty unless Mode is specific_hours' }),
        CloseTime: Words,
      }),
    ),
  },
  { title: 'BusinessProfile' },
)

/** Rejects ITEM_UNKNOWN for an account that is not a business, for which the network answers without a profile. */
export async function readProfile(session: LiveSession, jid: string): Promise<Static<typeof Profile>> {
  const about = `Business profile of ${jid}`
  const reply = await query(session, {
    xmlns: 'w:biz',
    type: 'get',
    content: node('business_profile', { v: '244' }, [node('profile', { jid })]),
    verb: 'read the business profile',
    item: about,
  })
  const profile = child(child(reply, 'business_profile'), 'profile')
  if (!profile) throw gatewayError('ITEM_UNKNOWN', [about])
  const hours = child(profile, 'business_hours')
  const options = child(profile, 'profile_options')?.content
  return {
    JID: profile.attrs['jid'] ?? jid,
    Description: text(profile, 'description'),
    Address: text(profile, 'address'),
    Email: text(profile, 'email'),
    Websites: children(profile, 'website').map((website) => text(website)),
    Categories: children(child(profile, 'categories'), 'category').map(toCategory),
    ProfileOptions: Object.fromEntries(
      Array.isArray(options) ? options.map((option) => [option.tag, text(option)]) : [],
    ),
    CoverPhotoID: child(profile, 'cover_photo')?.attrs['id'] ?? '',
    BusinessHoursTimeZone: hours?.attrs['timezone'] ?? '',
    BusinessHours: children(hours, 'business_hours_config').map(({ attrs }) => ({
      DayOfWeek: attrs['day_of_week'] ?? '',
      Mode: attrs['mode'] ?? '',
      OpenTime: attrs['open_time'] ?? '',
      CloseTime: attrs['close_time'] ?? '',
    })),
  }
}

/** Changes one field of the own profile and keeps the others. */
export async function changeProfile(session: LiveSession, change: BinaryNode, verb: string): Promise<void> {
  await query(session, {
    xmlns: 'w:biz',
    type: 'set',
    content: node('business_profile', { v: '3', mutation_type: 'delta' }, [change]),
    verb,
    item: 'Business profile',
  })
}

export function setText(
  session: LiveSession,
  field: 'description' | 'address' | 'email',
  value: string,
): Promise<void> {
  return changeProfile(session, words(field, value), `set the ${field}`)
}

/** All categories that a business can have. */
export async function readCategories(session: LiveSession): Promise<Static<typeof Category>[]> {
  const reply = await query(session, {
    xmlns: 'fb:thrift_iq',
    type: 'get',
    // An empty search finds all.
    content: node('request', { op: 'profile_typeahead', type: 'catkit', v: '1' }, [words('query', '')]),
    verb: 'read the categories',
    item: 'Categories',
  })
  return children(child(child(reply, 'response'), 'categories'), 'category').map(toCategory)
}

function toCategory(category: BinaryNode): Static<typeof Category> {
  return { ID: category.attrs['id'] ?? '', Name: text(category) }
}
