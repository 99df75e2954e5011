/** Reads back where the GPU puts the vertices of a surface, so that tests can hold it to the same formula done here. */
import {
  type BufferGeometry,
  FloatType,
  GLSL3,
  type IUniform,
  OrthographicCamera,
  Points,
  Scene,
  ShaderMaterial,
  type WebGLRenderer,
  WebGLRenderTarget,
} from "three";
import { PROBE_FRAGMENT, VERTEX } from "./shader";

export function probe(
  renderer: WebGLRenderer,
  geometry: BufferGeometry,
  uniforms: Record<string, IUniform>,
  vertices: number,
): Float32Array {
  const width = Math.ceil(Math.sqrt(geometry.getAttribute("position").count));
  const material = new ShaderMaterial({
    vertexShader: VERTEX,
    fragmentShader: PROBE_FRAGMENT,
    uniforms,
    glslVersion: GLSL3,
    defines: { PROBE: width },
    depthTest: false,
  });
  const points = new Points(geometry, material);
  points.frustumCulled = false;
  const target = new WebGLRenderTarget(width, width, { type: FloatType, depthBuffer: false });
  renderer.setRenderTarget(target);
  renderer.setScissorTest(false);
  renderer.clear();
  renderer.render(new Scene().add(points), new OrthographicCamera());
  const pixels = new Float32Array(width * width * 4);
  renderer.readRenderTargetPixels(target, 0, 0, width, width, pixels);
  renderer.setRenderTarget(null);
  target.dispose();
  material.dispose();
  return Float32Array.from({ length: vertices * 3 }, (_, i) => pixels[Math.floor(i / 3) * 4 + (i % 3)]);
}
