/**
 * Apps ignore an edit that was written so many seconds after its message, or later; polls, events and newsletter posts may always be
 * edited. AB prop 2983 may set another number.
 */
export const EDIT_WINDOW_SECONDS = 1200
