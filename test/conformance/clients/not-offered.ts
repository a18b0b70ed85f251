/** The library has no function for what the run asks for. */
export class NotOffered extends Error {}
