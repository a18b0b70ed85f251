export { type Answer, type CallOptions, type Calls, callsOf } from '../../kernel/testing/calls.ts'
