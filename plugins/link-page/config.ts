import { type Static, T } from 'wamux/plugin'

export const ConfigSchema = T.Object({
  serviceName: T.String({
    default: '',
    maxLength: 80,
    description: 'Name of your service, shown on the page; neutral wording when empty',
  }),
  language: T.String({
    default: 'en',
    pattern: '^(en|pt|es|de|id)$',
    description: 'Language of the page if neither the link nor the browser names one: en, pt, es, de or id',
  }),
  extensionId: T.String({
    default: 'ghpdcgnjffaaekflfpcgkgpbafmjldcp',
    pattern: '^[a-p]{32}$',
    description:
      'Id of the browser extension (Chrome, Edge) that signs passkey challenges on web.whatsapp.com',
  }),
})

export type LinkPageConfig = Static<typeof ConfigSchema>
