// A pane's body -> what it was scrolled to last. A jump goes on for some frames, while lines get their height; an earlier
// one gives way to the newest.
export const jumps = new WeakMap();
