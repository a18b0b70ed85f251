/**
 * Types only, as `wamux/services`: importing it tells TypeScript what the built-in plugins add to the contract:
 * services, events, signals and what a socket can do. Made by `npm run docs`.
 *
 * @example import type {} from 'wamux/services'
 */

export type {} from '../plugins/account-settings/index.ts'
export type {} from '../plugins/audit/index.ts'
export type {} from '../plugins/baileys/index.ts'
export type {} from '../plugins/bots/index.ts'
export type {} from '../plugins/business/index.ts'
export type {} from '../plugins/calls/index.ts'
export type {} from '../plugins/chats/index.ts'
export type {} from '../plugins/contacts/index.ts'
export type {} from '../plugins/docs/index.ts'
export type {} from '../plugins/events/index.ts'
export type {} from '../plugins/groups/index.ts'
export type {} from '../plugins/http-client/index.ts'
export type {} from '../plugins/labels/index.ts'
export type {} from '../plugins/media/index.ts'
export type {} from '../plugins/messages/index.ts'
export type {} from '../plugins/messaging/index.ts'
export type {} from '../plugins/newsletters/index.ts'
export type {} from '../plugins/pacing/index.ts'
export type {} from '../plugins/presence/index.ts'
export type {} from '../plugins/sandbox/index.ts'
export type {} from '../plugins/send/index.ts'
export type {} from '../plugins/sending/index.ts'
export type {} from '../plugins/server/index.ts'
export type {} from '../plugins/session/index.ts'
export type {} from '../plugins/status/index.ts'
export type {} from '../plugins/users/index.ts'
export type {} from '../plugins/webhook/index.ts'
