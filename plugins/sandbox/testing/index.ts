/**
 * The test kit for plugins, exported as `@wamux/sandbox/testing`: a real gateway on a local network with simulated phones, and
 * checks of the rules for plugins.
 */
export type { Answer, CallOptions, Calls } from './calls.ts'
export { type CheckOptions, checkPlugin } from './check-plugin.ts'
export { type LogLine, startTestGateway, type TestGateway, type TestGatewayOptions } from './gateway.ts'
export type { NewPhone, PhoneMessage, TestPhone } from './phones.ts'
export { type ReceivedDelivery, type Receiver, type Respond, startReceiver } from './receiver.ts'
export type { TestSession } from './sessions.ts'
