export { eventually, type Patience } from '../../plugins/sandbox/testing/eventually.ts'
