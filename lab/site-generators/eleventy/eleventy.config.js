/** The folder is in .gitignore when it is built. */
export default (config) => config.setUseGitIgnore(false);
