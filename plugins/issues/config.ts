import { type Static, T } from 'wamux/plugin'

export const ConfigSchema = T.Object({
  seconds: T.Number({
    default: 15,
    exclusiveMinimum: 0,
    description: 'Seconds between comparisons of the list of issues',
  }),
  settleSeconds: T.Number({
    default: 60,
    minimum: 0,
    description: 'Seconds for which an issue must be absent before it is announced as closed',
  }),
  url: T.String({
    default: '',
    description: 'Address to which every issue is posted when it opens and when it closes',
  }),
  secret: T.String({
    default: '',
    pattern: '^(whsec_[A-Za-z0-9+/]{32,}=*)?$',
    description: 'Secret that signs those posts: whsec_ and base64 of 24 bytes or more; unsigned if empty',
  }),
})

export type IssuesConfig = Static<typeof ConfigSchema>
