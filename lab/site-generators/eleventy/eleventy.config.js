/** The build folder is listed in .gitignore, which Eleventy would respect. */
export default (config) => config.setUseGitIgnore(false);
