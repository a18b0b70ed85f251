export { eventually, type Patience } from '../../config/testing/eventually.ts'
