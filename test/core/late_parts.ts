/** The core loads plug-ins for what a config uses. */
export const loadAllParts = async (): Promise<void> => {};
