// biome-ignore-all assist/source/organizeImports: generated, by plugin
/**
 * Types only, as `wamux/services`: importing it declares to TypeScript what the built-in plugins add to the contract:
 * services, events, signals and what a socket can do. It has the types of services and contributions by name. Made by
 * `npm run docs`.
 *
 * @example import type {} from 'wamux/services'
 */

export type {} from '../plugins/audit/index.ts'
export type {} from '../plugins/baileys/errors.ts'
export type {} from '../plugins/baileys/sdk.ts'
export type {} from '../plugins/business/events.ts'
export type {} from '../plugins/calls/events.ts'
export type {} from '../plugins/chat-log/index.ts'
export type {} from '../plugins/chats/events.ts'
export type {} from '../plugins/chats/index.ts'
export type {} from '../plugins/cloud-api/errors.ts'
export type {} from '../plugins/cluster/errors.ts'
export type {} from '../plugins/confirmation/index.ts'
export type {} from '../plugins/contacts/events.ts'
export type {} from '../plugins/contacts/index.ts'
export type {} from '../plugins/dashboard/errors.ts'
export type {} from '../plugins/dashboard/index.ts'
export type {} from '../plugins/dashboard/plugin-pages/contract.ts'
export type {} from '../plugins/event-streams/index.ts'
export type {} from '../plugins/groups/events.ts'
export type {} from '../plugins/groups/index.ts'
export type {} from '../plugins/http-client/index.ts'
export type {} from '../plugins/issues/contract.ts'
export type {} from '../plugins/issues/events.ts'
export type {} from '../plugins/jobs/contract.ts'
export type {} from '../plugins/keys/errors.ts'
export type {} from '../plugins/keys/index.ts'
export type {} from '../plugins/labels/events.ts'
export type {} from '../plugins/link-page/errors.ts'
export type {} from '../plugins/media-store/contract.ts'
export type {} from '../plugins/media/errors.ts'
export type {} from '../plugins/media/index.ts'
export type {} from '../plugins/messages/events.ts'
export type {} from '../plugins/messages/index.ts'
export type {} from '../plugins/messaging/errors.ts'
export type {} from '../plugins/messaging/hooks.ts'
export type {} from '../plugins/messaging/index.ts'
export type {} from '../plugins/newsletters/events.ts'
export type {} from '../plugins/newsletters/joins.ts'
export type {} from '../plugins/newsletters/own-changes.ts'
export type {} from '../plugins/outputs/contract.ts'
export type {} from '../plugins/outputs/index.ts'
export type {} from '../plugins/pacing/index.ts'
export type {} from '../plugins/presence/events.ts'
export type {} from '../plugins/presence/index.ts'
export type {} from '../plugins/proxy/index.ts'
export type {} from '../plugins/schedule/errors.ts'
export type {} from '../plugins/schedule/events.ts'
export type {} from '../plugins/sender/index.ts'
export type {} from '../plugins/server/index.ts'
export type {} from '../plugins/session/contract.ts'
export type {} from '../plugins/session/events.ts'
export type {} from '../plugins/session/settings/contract.ts'
export type {} from '../plugins/status/translate.ts'
export type {} from '../plugins/users/events.ts'
export type {} from '../plugins/users/index.ts'
export type {} from '../plugins/webhook/contract.ts'
export type {} from '../plugins/webhook/events.ts'
export type {} from '../plugins/webhook/index.ts'

export type { Audit } from '../plugins/audit/types.ts'
export type { Wire } from '../plugins/baileys/protocol/wire.ts'
export type { Files } from '../plugins/baileys/media/media-file.ts'
export type { MessageTimes } from '../plugins/baileys/protocol/message-times.ts'
export type { Outboxes } from '../plugins/baileys/store/outboxes.ts'
export type { TimerReader } from '../plugins/baileys/store/chat-timers.ts'
export type { Dial } from '../plugins/baileys/network/network.ts'
export type { Egress } from '../plugins/baileys/network/egress.ts'
export type { Contacts } from '../plugins/contacts/contacts.ts'
export type { SignInCodes } from '../plugins/dashboard/login/codes.ts'
export type {
  DashboardGateway,
  DashboardPage,
  PagesContribution,
} from '../plugins/dashboard/plugin-pages/contract.ts'
export type { HttpClient } from '../plugins/http-client/http-client.ts'
export type { Issue, IssueSource } from '../plugins/issues/contract.ts'
export type {
  FailingJob,
  Job,
  Jobs,
  JobsContribution,
  NewJob,
  Postponed,
  Queue,
  Schedule,
} from '../plugins/jobs/contract.ts'
export type { Media } from '../plugins/media/media.ts'
export type { MediaStore } from '../plugins/media-store/contract.ts'
export type { Attachments } from '../plugins/messages/media/attachments.ts'
export type { MarkRead } from '../plugins/messages/mark-read.ts'
export type { MessageHooks } from '../plugins/messaging/hooks.ts'
export type { MessageHookChain } from '../plugins/messaging/hook-chain.ts'
export type { Output, OutputMessage, OutputState, Outputs } from '../plugins/outputs/contract.ts'
export type { Pace } from '../plugins/pacing/pace.ts'
export type { Subscriptions } from '../plugins/presence/subscriptions.ts'
export type { Targets } from '../plugins/sender/target.ts'
export type { Sender } from '../plugins/sender/send.ts'
export type { Health } from '../plugins/server/health.ts'
export type {
  SessionActivity,
  SessionBacklog,
  SessionBacklogs,
  SessionKeys,
} from '../plugins/session/contract.ts'
export type {
  SessionSettings,
  SessionSettingsContribution,
  SettingFault,
} from '../plugins/session/settings/contract.ts'
export type {
  EndpointProgress,
  FormatContext,
  FormatRequest,
  OwnEndpoint,
  OwnEndpointView,
  SampleScene,
  SignedPost,
  Signing,
  WebhookFormat,
  Webhooks,
} from '../plugins/webhook/contract.ts'
export type { DeliveryTimes } from '../plugins/webhook/delivery/delivery-times.ts'
export type { Backlogs } from '../plugins/webhook/delivery/backlogs.ts'
