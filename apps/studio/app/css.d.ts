declare module '*.css';
declare module '*.css?inline' {
  const style: string;
  export default style;
}
