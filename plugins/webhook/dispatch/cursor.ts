/**
 * How far the rows were read: first from the table, up to the oldest row that is kept in memory, then from there. New
 * rows that come meanwhile only move this limit when memory is full, so a backlog is caught up with while events go on.
 * A reset replaces the object, so that a page requested before it is discarded.
 */
export interface Cursor {
  /** Newest row that is in the lanes, or in the table's backlog of a lane. */
  seq: number
  /** Whether all rows after it are in memory. */
  isJoined: boolean
  /** Rows that are not due yet are attempted too. */
  isEager: boolean
}
