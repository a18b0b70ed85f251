export { type Answer, type CallOptions, type Calls, callsOf } from '../../plugins/sandbox/testing/calls.ts'
