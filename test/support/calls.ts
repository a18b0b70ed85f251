export { type Answer, type CallOptions, type Calls, callsOf } from '../../config/testing/calls.ts'
